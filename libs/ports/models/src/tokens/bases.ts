import { decodeBasis, type EncodedBasis } from './basis-codec.ts';
import { BASIS as E5_SMALL_V2 } from './e5-small-v2-q.basis.ts';
import type { TokenBasis } from './token-basis.ts';

const BASES: Readonly<Record<string, EncodedBasis>> = { 'e5-small-v2-q': E5_SMALL_V2 };

/** Returns the basis in which tokens of a model are compared. @throws DamagedBasisError */
export function basisOf(name: string): TokenBasis {
  return decodeBasis(BASES[name] as EncodedBasis);
}
