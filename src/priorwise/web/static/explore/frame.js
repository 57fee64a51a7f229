// What part of the plane is seen. Both panels share it, so that they can be compared.

const EDGES = [0.005, 0.01];
const EASE = 0.35;
const ENOUGH = 2000;

/** The two coordinates that are drawn: (x, y), or with the log odds upright (x, x − y). */
export function vertical(points, upright, i) {
  return upright ? points.odds[i] : points.x[i] - points.odds[i];
}

/** The decision line as it is drawn, v = tilt · u + height. */
export function drawnLine({ slope, shift }, upright) {
  return upright ? { tilt: 1 - slope, height: -shift } : { tilt: slope, height: shift };
}

/** And back, from a drawn line to the rule. */
export function ruleOf({ tilt, height }, upright) {
  return upright ? { slope: 1 - tilt, shift: -height } : { slope: tilt, shift: height };
}

export class Frame {
  constructor() {
    this.now = null;
    this.goal = null;
    this.isHeld = false;
  }

  /** Fit nearly all points, unless somebody has zoomed or moved the view. */
  fit(points, { upright, kinds }, { force = false } = {}) {
    if (this.isHeld && !force) return;
    this.isHeld = false;
    const seen = [0, 1].map((member) => some(kinds.member, member));
    let [u0, u1] = ends(seen, (i) => points.x[i]);
    let [v0, v1] = ends(seen, (i) => vertical(points, upright, i));
    // In the plane of the two probabilities both axes are alike, and y = x is the diagonal.
    if (!upright) [u0, u1, v0, v1] = [Math.min(u0, v0), Math.max(u1, v1), Math.min(u0, v0), Math.max(u1, v1)];
    else [v0, v1] = [Math.min(v0, -1), Math.max(v1, 1)];
    this.goal = { u0, u1, v0, v1 };
    if (!this.now || force) this.now = { ...this.goal };
  }

  /** Come nearer to the goal; returns whether there is still way to go. */
  step(share = EASE) {
    if (!this.goal) return false;
    let isMoving = false;
    const size = { u: this.goal.u1 - this.goal.u0, v: this.goal.v1 - this.goal.v0 };
    for (const side of ["u0", "u1", "v0", "v1"]) {
      const way = this.goal[side] - this.now[side];
      const isFar = Math.abs(way) > 0.001 * size[side[0]];
      this.now[side] += isFar ? share * way : way;
      isMoving ||= isFar && share < 1;
    }
    return isMoving;
  }

  zoom(u, v, factor) {
    const { u0, u1, v0, v1 } = this.now;
    this.hold({ u0: u + (u0 - u) * factor, u1: u + (u1 - u) * factor, v0: v + (v0 - v) * factor, v1: v + (v1 - v) * factor });
  }

  pan(du, dv) {
    const { u0, u1, v0, v1 } = this.now;
    this.hold({ u0: u0 + du, u1: u1 + du, v0: v0 + dv, v1: v1 + dv });
  }

  hold(goal) {
    this.isHeld = true;
    this.goal = goal;
    this.now = { ...goal };
  }
}

/** Others or members, a few thousand of them: to find where they end, that is enough. */
function some(member, wanted) {
  const found = [];
  for (let i = 0; i < member.length; i++) if (member[i] === wanted) found.push(i);
  const stride = Math.ceil(found.length / ENOUGH);
  return found.filter((_, i) => i % stride === 0);
}

/** Where values begin and end, but for a few at each end: of the others, and of the members, who may be few. */
function ends(seen, value) {
  const found = seen.map((places, kind) => {
    const sorted = Float32Array.from(places, value).sort();
    const left = Math.floor(EDGES[kind] * (sorted.length - 1));
    return [sorted[left], sorted[sorted.length - 1 - left]];
  });
  const [low, high] = [Math.min(found[0][0], found[1][0]), Math.max(found[0][1], found[1][1])];
  const margin = 0.04 * (high - low) || 1;
  return [low - margin, high + margin];
}

/** Round numbers to write at an axis. */
export function ticks(low, high, count = 5) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) ?? 10 * power;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return found;
}
