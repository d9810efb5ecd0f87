import type { PassOptions } from './document-pass.ts';

/** Documents of a pass that are named in the log. More of them are counted. */
const MOST_NAMED = 20;

/** Names the documents of a pass that are left out, up to a number of them. */
export function namedIn(
  logger: { warn(message: string, cause?: unknown): void },
  fate: string,
): PassOptions['onSkipped'] {
  let named = 0;
  return ({ organization, id }, error) => {
    named += 1;
    if (named <= MOST_NAMED)
      logger.warn(`Document ${id} of organization ${organization} ${fate}: ${String(error)}`, error);
    if (named === MOST_NAMED) logger.warn('Further documents are counted only');
  };
}
