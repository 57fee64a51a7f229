// Points drawn pixel by pixel: twenty thousand of them take a few milliseconds, with or without a graphics card.

/** A shape on a sheet of some width: its pixels, and how much of each it covers, from 0 to 255. */
function shape(size, width, isInside) {
  const [dx, dy, cover] = [[], [], []];
  const reach = Math.ceil(size / 2) + 1;
  const parts = 4;
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      let inside = 0;
      for (let k = 0; k < parts * parts; k++) {
        const part = [(k % parts) + 0.5, Math.floor(k / parts) + 0.5].map((each) => each / parts - 0.5);
        if (isInside((x + part[0]) / (size / 2), (y + part[1]) / (size / 2))) inside++;
      }
      if (!inside) continue;
      dx.push(x);
      dy.push(y);
      cover.push(Math.round((255 * inside) / parts ** 2));
    }
  }
  return { reach, dx, dy, cover: Int32Array.from(cover), offset: Int32Array.from(dx, (x, k) => dy[k] * width + x) };
}

/** A triangle for members, a diamond for others. */
export function shapes(ratio, width) {
  return {
    member: shape(8 * ratio, width, (x, y) => y < 0.8 && y > -1 && Math.abs(x) < (y + 1) / 1.8),
    other: shape(5.5 * ratio, width, (x, y) => Math.abs(x) + Math.abs(y) < 1),
  };
}

/** A sheet of pixels to draw on. */
export class Sheet {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.pixels = this.image.data;
    this.words = new Uint32Array(this.pixels.buffer);
  }

  clear([r, g, b]) {
    this.words.fill((255 << 24) | (b << 16) | (g << 8) | r);
  }

  /** Put a shape at a place, in a colour that lets through what is under it; opacity is from 0 to 255. */
  stamp({ reach, dx, dy, cover, offset }, x, y, [r, g, b], opacity) {
    const { pixels, width, height } = this;
    const left = Math.round(x), top = Math.round(y);
    const first = top * width + left;
    const isWhole = left >= reach && top >= reach && left < width - reach && top < height - reach;
    for (let k = 0; k < offset.length; k++) {
      if (!isWhole && (left + dx[k] < 0 || left + dx[k] >= width || top + dy[k] < 0 || top + dy[k] >= height)) continue;
      const at = (first + offset[k]) << 2;
      const share = (cover[k] * opacity) >> 8;
      pixels[at] += ((r - pixels[at]) * share) >> 8;
      pixels[at + 1] += ((g - pixels[at + 1]) * share) >> 8;
      pixels[at + 2] += ((b - pixels[at + 2]) * share) >> 8;
    }
  }

  /** Shade every pixel by how many documents of the corpus are there. */
  shade(density, frame, upright, colours) {
    const { width, height, pixels } = this;
    const { low, high, rows, columns, others, members } = density;
    const most = Math.log1p(density.most ??= Math.max(others.reduce((a, b) => Math.max(a, b), 0), members.reduce((a, b) => Math.max(a, b), 0)));
    const wide = columns / (high[0] - low[0]), tall = rows / (high[1] - low[1]);
    for (let py = 0; py < height; py++) {
      const v = frame.v1 + ((py + 0.5) / height) * (frame.v0 - frame.v1);
      for (let px = 0; px < width; px++) {
        const u = frame.u0 + ((px + 0.5) / width) * (frame.u1 - frame.u0);
        const column = Math.floor((u - low[0]) * wide), row = Math.floor(((upright ? v : u - v) - low[1]) * tall);
        if (column < 0 || row < 0 || column >= columns || row >= rows) continue;
        const place = row * columns + column, at = (py * width + px) << 2;
        for (const [counts, colour] of [[others, colours.other], [members, colours.member]]) {
          if (!counts[place]) continue;
          const cover = 0.08 + 0.42 * (Math.log1p(counts[place]) / most);
          for (let c = 0; c < 3; c++) pixels[at + c] += (colour[c] - pixels[at + c]) * cover;
        }
      }
    }
  }
}
