import { readFileSync } from 'node:fs';
import { type BasisSize, decodeBasis } from './basis-codec.ts';
import type { TokenBasis } from './token-basis.ts';

const BASES: Readonly<Record<string, BasisSize>> = { 'e5-small-v2-q': { stateDimensions: 384, dimensions: 64 } };

/** Returns the basis in which tokens of a model are compared. tools/fit-token-basis.mjs wrote it. @throws DamagedBasisError */
export function basisOf(name: string): TokenBasis {
  return decodeBasis(readFileSync(new URL(`./${name}.basis.bin`, import.meta.url)), BASES[name] as BasisSize);
}
