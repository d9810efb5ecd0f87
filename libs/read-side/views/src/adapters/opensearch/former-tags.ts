import type { DocumentRow } from '../../documents.ts';
import { formerTagsOf } from '../../former-tags.ts';
import type { Body } from './connection.ts';
import { later } from './moments.ts';
import { anyOf, LAST, orderedTerm, TERM_LETTERS, termOf } from './term.ts';

/** Which tags rows had until these were changed. Among the numbers that filters compare. */

/** In front of the moment at which the tags of a row were changed last. */
const CHANGED = termOf('tags changed');
/** In front of the moments until which and from which a row had a tag. */
const hadTerm = (organization: string, tag: string): string => termOf('had tag', organization, tag);

/** Digits of a moment in a term. */
const MOMENT_LETTERS = orderedTerm('', 0).length;

/** Returns the terms of the former tags of a row. */
export function formerTagTerms(row: Pick<DocumentRow, 'organization' | 'formerTags'>): string[] {
  const former = formerTagsOf(row);
  const last = former.at(-1);
  if (last === undefined) return [];
  const had = former.map(({ tag, since, until }) =>
    orderedTerm(orderedTerm(hadTerm(row.organization, tag), until), since),
  );
  return [...had, orderedTerm(CHANGED, last.until)];
}

/** Condition: had one of the tags at a time, and has had others since. */
export function hadAt(organization: string, tags: readonly string[], time: number): Body {
  const prefixes = tags.map((tag) => hadTerm(organization, tag));
  const at = orderedTerm('', time);
  const until = prefixes.map((prefix) => ({ range: { numbers: { gt: prefix + at + LAST, lt: prefix + LAST } } }));
  const exact = { script: { script: { ...HAD_TAG, params: { prefixes, at } } } };
  return { bool: { filter: [anyOf(until), exact] } };
}

/** Condition: the tags have not changed since a time. */
export const keptSince = (time: number): Body => ({ bool: { must_not: [later(CHANGED, time)] } });

/** A row may have had a tag several times. */
const HAD_TAG = {
  lang: 'painless',
  source: `
    for (String term : doc['numbers']) {
      if (term.length() != ${TERM_LETTERS + 2 * MOMENT_LETTERS}) continue;
      if (!params.prefixes.contains(term.substring(0, ${TERM_LETTERS}))) continue;
      String until = term.substring(${TERM_LETTERS}, ${TERM_LETTERS + MOMENT_LETTERS});
      String since = term.substring(${TERM_LETTERS + MOMENT_LETTERS});
      if (since.compareTo(params.at) <= 0 && until.compareTo(params.at) > 0) return true;
    }
    return false;
  `,
};
