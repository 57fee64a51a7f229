// Where the documents are, and what kind they are, from the server.
import { address } from "/static/base.js";
import { bytes } from "./bytes.js";

/** Which documents are members, and which are held out. */
export async function kinds(state) {
  const found = new Uint8Array(await bytes(address("api/explore/kinds", state.settingQuery())));
  return { member: found.map((kind) => kind & 1), heldOut: found.map((kind) => kind >> 1) };
}

/** How many documents of the whole corpus are where. */
export async function density(state) {
  const found = new Float32Array(await bytes(address("api/explore/density", state.settingQuery())));
  const [rows, columns] = [found[4], found[5]];
  const size = rows * columns;
  return {
    low: found.slice(0, 2), high: found.slice(2, 4), rows, columns,
    others: found.slice(6, 6 + size), members: found.slice(6 + size),
  };
}

/** Ask for points again and again; what is asked before an answer has come takes the place of what waits. */
export class Points {
  constructor(arrived, failed) {
    this.worker = new Worker("/static/explore/fetching.js", { type: "module" });
    this.worker.addEventListener("message", ({ data: { found, error } }) => {
      if (error) return failed(new Error(error));
      const numbers = new Float32Array(found);
      const half = numbers.length / 2;
      return arrived({ x: numbers.subarray(0, half), odds: numbers.subarray(half) });
    });
    this.worker.addEventListener("error", () => failed(new Error("The points could not be fetched.")));
  }

  want(query) {
    this.worker.postMessage(new URL(address("api/explore/points", query), location.href).href);
  }
}
