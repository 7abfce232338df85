// Statistics that compare heads (SPEC F15).
import type { Matrix } from "./document";

/** Jensen-Shannon divergence, natural logarithm: 0 .. ln 2. */
export function divergence(p: number[], q: number[]): number {
  let sum = 0;
  p.forEach((a, i) => {
    const b = q[i] ?? 0;
    const m = (a + b) / 2;
    if (a > 0) sum += 0.5 * a * Math.log(a / m);
    if (b > 0) sum += 0.5 * b * Math.log(b / m);
  });
  return Math.max(0, sum);
}

/** How far apart two heads are: the mean over their queries. */
export function headDistance(a: Matrix, b: Matrix): number {
  if (a.length === 0) return 0;
  const sum = a.reduce((s, row, i) => s + divergence(row, b[i] ?? []), 0);
  return sum / a.length;
}

export function headDistances(heads: Matrix[]): Matrix {
  return heads.map((a) => heads.map((b) => headDistance(a, b)));
}

/** What each key gets from all queries together. */
export function coverage(weights: Matrix): number[] {
  const sums = (weights[0] ?? []).map(() => 0);
  for (const row of weights)
    row.forEach((w, j) => {
      if (!Number.isNaN(w)) sums[j]! += w;
    });
  return sums;
}
