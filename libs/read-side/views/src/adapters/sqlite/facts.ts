import { hash } from 'node:crypto';
import type { Filter, MetadataRow } from '#features/search';
import type { OrganizationId } from '#platform/kernel';

/**
 * Equality of metadata as numbers that an index finds: 64 bits of SHA-256 over organization, key and value. A whole row
 * has one fact, of its number if the stored value is a number, else of its text. If folding changes its text, it also has
 * the fact of the folded text.
 */
const factOf = (organization: OrganizationId, key: string, value: string | number): bigint =>
  hash('sha256', JSON.stringify([organization, key, value]), 'buffer').readBigInt64BE();

interface Facts {
  readonly fact: bigint | null;
  readonly foldedFact: bigint | null;
}

export function factsOf(organization: OrganizationId, row: MetadataRow): Facts {
  const { key, text, folded, number, isNumber, whole } = row;
  if (!whole) return { fact: null, foldedFact: null };
  return {
    fact: factOf(organization, key, isNumber && number !== null ? number : text),
    foldedFact: folded === text || isNumber ? null : factOf(organization, key, folded),
  };
}

/** An equality: documents with one of these facts meet it. */
export interface Equality {
  readonly facts: readonly bigint[];
  /** Null unless the equality ignores case. */
  readonly foldedFact: bigint | null;
}

/** Returns the equalities that every document has to meet, and the rest of the filter. */
export function splitEqualities(
  organization: OrganizationId,
  filter: Filter,
): { readonly equalities: readonly Equality[]; readonly rest: readonly Filter[] } {
  if (filter.kind === 'and') {
    const parts = filter.nodes.map((node) => splitEqualities(organization, node));
    return { equalities: parts.flatMap((part) => part.equalities), rest: parts.flatMap((part) => part.rest) };
  }
  if (filter.kind !== 'equals' || filter.negate) return { equalities: [], rest: [filter] };
  const { key, value, number, ignoreCase } = filter;
  const text = factOf(organization, key, value);
  const facts = number === null ? [text] : [text, factOf(organization, key, number)];
  return { equalities: [{ facts, foldedFact: ignoreCase ? text : null }], rest: [] };
}
