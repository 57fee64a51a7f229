// A worker that fetches points: a page that draws all the time would keep each part of an answer waiting.
// One request at a time, and of those that wait only the last.
import { bytes } from "./bytes.js";

let waiting = null;
let isBusy = false;

addEventListener("message", ({ data: path }) => {
  waiting = path;
  if (!isBusy) work();
});

async function work() {
  isBusy = true;
  while (waiting) {
    const path = waiting;
    waiting = null;
    try {
      const found = await bytes(path);
      postMessage({ found }, [found]);
    } catch (error) {
      postMessage({ error: error.message });
    }
  }
  isBusy = false;
}
