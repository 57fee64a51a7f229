// One panel: the points of the training documents, or of those held out; axes, the line, what is pointed at.
import { colour, el, scaled } from "/static/base.js";
import { drawnLine, ticks, vertical } from "./frame.js";
import { below } from "./measures.js";
import { Sheet, shapes } from "./stamps.js";

export const EDGES = { left: 60, right: 8, top: 8, bottom: 34 };
const FAINT = 26;
const OPACITY = { alone: [128, 205], onDensity: [52, 90] };

const ROOM = 10000;
const written = (number) => number.toLocaleString("en-GB", { notation: Math.abs(number) < ROOM ? "standard" : "compact" }).replace("-", "−");
const rgb = (name) => colour(name).match(/[\d.]+/g).slice(0, 3).map(Number);

export function colours() {
  return {
    paper: rgb("--raised"), member: rgb("--series-2"), other: rgb("--series-1"),
    ink: colour("--ink"), quiet: colour("--quiet"), line: colour("--line"), decision: colour("--series-3"),
  };
}

export class Panel {
  constructor(title, heldOut) {
    this.title = title;
    this.heldOut = heldOut;
    this.canvas = el("canvas", {
      tabindex: 0, role: "application", "aria-label": `${title}: a point for each document`,
      "aria-describedby": "view-summary view-keys", dataset: { panel: heldOut ? "held-out" : "training" },
    });
    this.note = el("figcaption", {}, title);
    this.node = el("figure", { class: "panel" }, this.note, this.canvas);
  }

  /** Take the size that the page gives; returns whether it changed. */
  measure() {
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || (this.width === width && this.height === height && this.ratio === ratio)) return false;
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.inner = { width: width - EDGES.left - EDGES.right, height: height - EDGES.top - EDGES.bottom };
    this.sheet = new Sheet(Math.max(1, Math.round(this.inner.width * ratio)), Math.max(1, Math.round(this.inner.height * ratio)));
    this.shapes = shapes(ratio, this.sheet.width);
    return true;
  }

  /** From the plane to the canvas, in CSS pixels, and back. */
  toScreen(frame, u, v) {
    return [
      EDGES.left + ((u - frame.u0) / (frame.u1 - frame.u0)) * this.inner.width,
      EDGES.top + ((frame.v1 - v) / (frame.v1 - frame.v0)) * this.inner.height,
    ];
  }

  toPlane(frame, px, py) {
    return [
      frame.u0 + ((px - EDGES.left) / this.inner.width) * (frame.u1 - frame.u0),
      frame.v1 - ((py - EDGES.top) / this.inner.height) * (frame.v1 - frame.v0),
    ];
  }

  /** The document nearest to a place of the canvas, or −1 if none is near. */
  nearest(scene, px, py, reach = 12) {
    const { points, kinds, frame, upright } = scene;
    let [best, found] = [reach * reach, -1];
    for (let i = 0; i < points.x.length; i++) {
      if (kinds.heldOut[i] !== this.heldOut) continue;
      const [x, y] = this.toScreen(frame, points.x[i], vertical(points, upright, i));
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < best) [best, found] = [distance, i];
    }
    return found;
  }

  draw(scene) {
    const { colours: of, points, kinds, frame, upright, line, density, onlyWrong } = scene;
    const { sheet, ratio } = this;
    const opacity = density && !onlyWrong ? OPACITY.onDensity : OPACITY.alone;
    sheet.clear(of.paper);
    if (density) sheet.shade(density, frame, upright, of);
    const wide = sheet.width / (frame.u1 - frame.u0), tall = sheet.height / (frame.v1 - frame.v0);
    for (const member of [0, 1]) {
      const stamp = member ? this.shapes.member : this.shapes.other;
      const tint = member ? of.member : of.other;
      for (let i = 0; i < points.x.length; i++) {
        if (kinds.heldOut[i] !== this.heldOut || kinds.member[i] !== member) continue;
        const isRight = below(points.x[i], points.odds[i], line) === (member === 1);
        const x = (points.x[i] - frame.u0) * wide, y = (frame.v1 - vertical(points, upright, i)) * tall;
        if (x < -9 || y < -9 || x > sheet.width + 9 || y > sheet.height + 9) continue;
        sheet.stamp(stamp, x, y, tint, onlyWrong && isRight ? FAINT : opacity[member]);
      }
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.putImageData(sheet.image, Math.round(EDGES.left * ratio), Math.round(EDGES.top * ratio));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawAxes(pen, scene);
    if (scene.family.up === null) this.drawDiagonal(pen, scene);
    this.drawLine(pen, scene);
    this.drawPointed(pen, scene);
  }

  drawAxes(pen, { colours: of, frame, upright, family }) {
    pen.strokeStyle = of.line;
    pen.lineWidth = 1;
    pen.strokeRect(EDGES.left - 0.5, EDGES.top - 0.5, this.inner.width + 1, this.inner.height + 1);
    pen.fillStyle = of.quiet;
    pen.font = `${scaled(11)}px system-ui, sans-serif`;
    pen.textAlign = "center";
    for (const at of ticks(frame.u0, frame.u1)) {
      const [x] = this.toScreen(frame, at, 0);
      pen.fillText(written(at), x, EDGES.top + this.inner.height + 13);
    }
    pen.fillText(family.across, EDGES.left + this.inner.width / 2, this.height - 4);
    pen.textAlign = "right";
    for (const at of ticks(frame.v0, frame.v1)) {
      const [, y] = this.toScreen(frame, 0, at);
      pen.fillText(written(at), EDGES.left - 5, y + 4);
    }
    pen.save();
    pen.translate(9, EDGES.top + this.inner.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(family.up === null ? "log odds now" : upright ? "log odds" : family.up, 0, 0);
    pen.restore();
  }

  /** Documents on it have not moved since the sliders opened. */
  drawDiagonal(pen, { colours: of, frame }) {
    const [from, to] = [Math.max(frame.u0, frame.v0), Math.min(frame.u1, frame.v1)];
    if (from >= to) return;
    pen.save();
    pen.strokeStyle = of.quiet;
    pen.lineWidth = 1;
    pen.setLineDash([4, 4]);
    pen.beginPath();
    pen.moveTo(...this.toScreen(frame, from, from));
    pen.lineTo(...this.toScreen(frame, to, to));
    pen.stroke();
    pen.restore();
  }

  /** The ends of the line inside the frame, in CSS pixels, and where it is taken hold of. */
  lineOnScreen({ frame, line, upright }) {
    const { tilt, height } = drawnLine(line, upright);
    let [from, to] = [frame.u0, frame.u1];
    if (tilt !== 0) {
      const [a, b] = [(frame.v0 - height) / tilt, (frame.v1 - height) / tilt].sort((p, q) => p - q);
      [from, to] = [Math.max(from, a), Math.min(to, b)];
    } else if (height < frame.v0 || height > frame.v1) return null;
    if (from >= to) return null;
    const at = (share) => {
      const u = from + share * (to - from);
      return { u, v: tilt * u + height, screen: this.toScreen(frame, u, tilt * u + height) };
    };
    return { start: at(0), end: at(1), middle: at(0.5), grips: [at(0.12), at(0.88)] };
  }

  drawLine(pen, scene) {
    const found = this.lineOnScreen(scene);
    if (!found) return;
    pen.strokeStyle = scene.colours.decision;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(...found.start.screen);
    pen.lineTo(...found.end.screen);
    pen.stroke();
    for (const { screen: [x, y] } of [found.middle, ...found.grips]) {
      pen.beginPath();
      pen.arc(x, y, 5, 0, 2 * Math.PI);
      pen.fillStyle = `rgb(${scene.colours.paper})`;
      pen.fill();
      pen.stroke();
    }
  }

  drawPointed(pen, { colours: of, points, kinds, frame, upright, pointed }) {
    this.canvas.dataset.pointed = pointed !== null && pointed >= 0 ? pointed : "";
    if (pointed === null || pointed < 0 || kinds.heldOut[pointed] !== this.heldOut) return;
    const [x, y] = this.toScreen(frame, points.x[pointed], vertical(points, upright, pointed));
    pen.beginPath();
    pen.arc(x, y, 9, 0, 2 * Math.PI);
    pen.strokeStyle = of.ink;
    pen.lineWidth = 2;
    pen.stroke();
  }
}
