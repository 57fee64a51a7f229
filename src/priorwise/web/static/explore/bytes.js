// Numbers from the server as they are; for the page and for the worker that fetches points.

export async function bytes(path) {
  let response;
  try {
    response = await fetch(path);
  } catch {
    throw new Error("The server does not answer. Is the command still running?");
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new Error(answer.error ?? `The server answered ${response.status}.`);
  }
  return response.arrayBuffer();
}
