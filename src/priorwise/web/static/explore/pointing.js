// Mouse and keyboard on a panel: take hold of the line, look around, point at a document.
import { drawnLine, ruleOf, vertical } from "./frame.js";
import { below } from "./measures.js";

const NEAR = 9;

function place(event, canvas) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function away([ax, ay], [bx, by]) {
  return Math.hypot(ax - bx, ay - by);
}

/** How far a place is from the line between two places. */
function fromLine([px, py], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const share = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(px - ax - share * dx, py - ay - share * dy);
}

/** What is taken hold of at a place: a grip turns the line, the rest of it moves it. */
function held(panel, scene, at) {
  const line = panel.lineOnScreen(scene);
  if (!line) return null;
  if (line.grips.some((grip) => away(at, grip.screen) < NEAR)) return { turns: true, pivot: line.middle };
  if (fromLine(at, line.start.screen, line.end.screen) < NEAR) return { turns: false };
  return null;
}

function lineThrough(scene, [u, v], grip) {
  const drawn = drawnLine(scene.line, scene.upright);
  if (!grip.turns) return ruleOf({ tilt: drawn.tilt, height: v - drawn.tilt * u }, scene.upright);
  const { pivot } = grip;
  if (u === pivot.u) return scene.line;
  const tilt = (v - pivot.v) / (u - pivot.u);
  return ruleOf({ tilt, height: pivot.v - tilt * pivot.u }, scene.upright);
}

export function listen(panel, view) {
  const { canvas } = panel;
  const { scene } = view;
  let grip = null;
  let from = null;

  canvas.addEventListener("pointerdown", (event) => {
    if (!scene.frame || event.button !== 0) return;
    const at = place(event, canvas);
    grip = held(panel, scene, at);
    from = { at, hasMoved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!scene.frame) return;
    const at = place(event, canvas);
    if (!from) {
      canvas.classList.toggle("grabs", held(panel, scene, at) !== null);
      view.point(panel.nearest(scene, ...at), [event.clientX, event.clientY]);
      return;
    }
    if (away(at, from.at) > 3) from.hasMoved = true;
    if (!from.hasMoved) return;
    if (grip) {
      view.setLine(lineThrough(scene, panel.toPlane(scene.frame, ...at), grip));
    } else {
      const [before, now] = [panel.toPlane(scene.frame, ...from.at), panel.toPlane(scene.frame, ...at)];
      view.frame.pan(before[0] - now[0], before[1] - now[1]);
      scene.frame = view.frame.now;
      from.at = at;
      view.want();
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (from && !from.hasMoved) {
      const found = panel.nearest(scene, ...place(event, canvas));
      if (found >= 0) view.act.opened(found);
    }
    [grip, from] = [null, null];
  });
  canvas.addEventListener("pointercancel", () => { [grip, from] = [null, null]; });
  canvas.addEventListener("pointerleave", () => { if (!from) view.point(null); });
  canvas.addEventListener("dblclick", () => view.refit());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.frame.zoom(...panel.toPlane(scene.frame, ...place(event, canvas)), Math.exp(Math.sign(event.deltaY) * 0.15));
    view.want();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (scene.frame && !event.ctrlKey && !event.metaKey && !event.altKey && pressed(event, panel, view)) event.preventDefault();
  });
}

/** Do what a key says; returns whether it says something. */
function pressed({ key, shiftKey }, panel, view) {
  const { scene } = view;
  const { u0, u1, v0, v1 } = scene.frame;
  const far = shiftKey ? 0.1 : 0.01;
  const drawn = drawnLine(scene.line, scene.upright);
  const middle = (u0 + u1) / 2;
  const change = (tilt, height) => view.setLine(ruleOf({ tilt, height }, scene.upright));
  const turn = (by) => {
    const tilt = drawn.tilt + (by * (v1 - v0)) / (u1 - u0);
    change(tilt, drawn.height + (drawn.tilt - tilt) * middle);
  };
  const deeds = {
    ArrowUp: () => change(drawn.tilt, drawn.height + far * (v1 - v0)),
    ArrowDown: () => change(drawn.tilt, drawn.height - far * (v1 - v0)),
    ArrowRight: () => turn(-far),
    ArrowLeft: () => turn(far),
    "+": () => { view.frame.zoom(middle, (v0 + v1) / 2, 0.8); view.want(); },
    "-": () => { view.frame.zoom(middle, (v0 + v1) / 2, 1.25); view.want(); },
    Home: () => view.refit(),
    n: () => tour(panel, view, 1),
    N: () => tour(panel, view, -1),
    Enter: () => { if (scene.pointed !== null && scene.pointed >= 0) view.act.opened(scene.pointed); },
  };
  if (!(key in deeds)) return false;
  deeds[key]();
  return true;
}

/** Point at the next mistake of a panel, the worst first. */
function tour(panel, view, step) {
  const { points, kinds, line, pointed } = view.scene;
  const wrong = [];
  for (let i = 0; i < points.x.length; i++) {
    if (kinds.heldOut[i] === panel.heldOut && below(points.x[i], points.odds[i], line) !== (kinds.member[i] === 1)) wrong.push(i);
  }
  if (!wrong.length) return;
  const distance = (i) => Math.abs(points.odds[i] - (1 - line.slope) * points.x[i] + line.shift);
  wrong.sort((a, b) => distance(b) - distance(a));
  const at = wrong.indexOf(pointed);
  const next = wrong[at < 0 ? 0 : (at + step + wrong.length) % wrong.length];
  const box = panel.canvas.getBoundingClientRect();
  const [x, y] = panel.toScreen(view.scene.frame, points.x[next], vertical(points, view.scene.upright, next));
  // A document may lie outside of what is seen; what is said of it does not.
  view.point(next, [box.left + Math.min(Math.max(x, 0), box.width), box.top + Math.min(Math.max(y, 0), box.height)]);
}
