// The view: two panels that share their frame and their line, drawn whenever something has changed.
import { el, onTheme } from "/static/base.js";
import { Frame } from "./frame.js";
import { Panel, colours } from "./panel.js";
import { listen } from "./pointing.js";

const isStill = matchMedia("(prefers-reduced-motion: reduce)");
const CATCH_UP = 0.45;
const DIGITS = 6;

export class Scatter {
  /** `act` has lineMoved(line), pointedAt(i, x, y), opened(i): what the page does about it. */
  constructor(kinds, state, act) {
    this.act = act;
    this.state = state;
    this.panels = [new Panel("Training documents", 0), new Panel("Held-out documents", 1)];
    this.goal = null;
    this.scene = {
      kinds, frame: null, points: null, line: state.line, family: state.family, upright: state.upright, density: null,
      pointed: null, onlyWrong: false, colours: colours(),
    };
    this.frame = new Frame();
    this.node = el("div", { class: "panels", dataset: { frames: 0, answers: 0 } }, this.panels.map((panel) => panel.node));
    this.frames = 0;
    this.answers = 0;
    this.isWanted = false;
    for (const panel of this.panels) listen(panel, this);
    onTheme(() => { this.scene.colours = colours(); this.want(); });
    new ResizeObserver(() => this.want()).observe(this.node);
  }

  /** New places for the points: they go there. */
  show(points) {
    this.answers += 1;
    const n = points.x.length;
    if (!this.scene.points || isStill.matches) {
      this.scene.points = { x: Float32Array.from(points.x), odds: Float32Array.from(points.odds) };
    } else if (this.scene.points.x.length !== n) {
      throw new Error("The server's answer was not understood.");
    }
    this.goal = points;
    this.frame.fit(points, this.scene, { force: !this.frame.now });
    this.want();
  }

  refit() {
    if (this.goal) this.frame.fit(this.goal, this.scene, { force: true });
    this.want();
  }

  want() {
    if (this.isWanted) return;
    this.isWanted = true;
    requestAnimationFrame(() => { this.isWanted = false; this.draw(); });
  }

  draw() {
    if (!this.goal) return;
    const { scene } = this;
    let isMoving = this.frame.step(isStill.matches ? 1 : undefined);
    isMoving = this.movePoints() || isMoving;
    scene.frame = this.frame.now;
    for (const panel of this.panels) {
      panel.measure();
      if (panel.sheet) panel.draw(scene);
    }
    this.frames += 1;
    Object.assign(this.node.dataset, { frames: this.frames, answers: this.answers, moving: isMoving, shaded: scene.density !== null });
    if (isMoving) this.want();
  }

  /** Bring every point nearer to where it belongs; returns whether one is still on its way. */
  movePoints() {
    const { points } = this.scene;
    const { x, odds } = this.goal;
    const share = isStill.matches ? 1 : CATCH_UP;
    const near = 0.0005 * (this.frame.now.u1 - this.frame.now.u0);
    let isMoving = false;
    for (let i = 0; i < x.length; i++) {
      const [dx, dy] = [x[i] - points.x[i], odds[i] - points.odds[i]];
      if (dx === 0 && dy === 0) continue;
      if (share < 1 && Math.abs(dx) + Math.abs(dy) > near) {
        points.x[i] += share * dx;
        points.odds[i] += share * dy;
        isMoving = true;
      } else {
        points.x[i] = x[i];
        points.odds[i] = odds[i];
      }
    }
    return isMoving;
  }

  /** Move the line; its numbers are rounded to what the address can hold. */
  setLine({ slope, shift }) {
    const line = { slope: Number(slope.toPrecision(DIGITS)), shift: Number(shift.toPrecision(DIGITS)) };
    this.scene.line = line;
    this.act.lineMoved(line);
    this.want();
  }

  point(i, where = null) {
    if (this.scene.pointed !== i) this.want();
    this.scene.pointed = i;
    this.act.pointedAt(i, where);
  }
}
