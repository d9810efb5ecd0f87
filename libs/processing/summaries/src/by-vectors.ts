import { meanOf, valuesOf } from '#features/search';
import type { QuantizedVector } from '#ports/vector-store';

/** Scores passages by how near their vectors are to the mean of all: the cosine. @param vectors at least one */
export function scoresByVectors(vectors: readonly QuantizedVector[]): readonly number[] {
  const mean = valuesOf(meanOf(vectors));
  return vectors.map((vector) => cosine(mean, valuesOf(vector)));
}

function cosine(a: Int8Array, b: Int8Array): number {
  let product = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let d = 0; d < a.length; d++) {
    const [x, y] = [a[d] as number, b[d] as number];
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  const lengths = Math.sqrt(squaresOfA * squaresOfB);
  return lengths === 0 ? 0 : product / lengths;
}
