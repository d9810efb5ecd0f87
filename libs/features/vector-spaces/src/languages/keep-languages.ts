import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#platform/kernel';
import { LANGUAGES_GROUP } from '../groups.ts';
import type { SpaceEmbedders } from '../space-embedders.ts';
import { CHANGES, ChangedContainers } from './changed-containers.ts';
import { LanguageFilling } from './language-filling.ts';
import type { KeepLanguagesOptions, KeepLanguagesSources } from './languages-sources.ts';

/** Pause before another try, of a model that cannot be had among others. Milliseconds. */
const PAUSE_MS = 60_000;
/** Between two looks at what has changed. Milliseconds. */
const LOOK_EVERY_MS = 2_000;
/** Milliseconds. */
const VIEWS_WAIT_MS = 60_000;

/**
 * Keeps documents in the spaces of other languages that belong there, in the background: those in other languages than English
 * that were embedded like English ones while the model could not be had; and those in English whose container
 * holds another language, or was asked in one, beside their own space. Ends with the signal only, unless there is no model for
 * other languages. What was embedded stays when the signal aborts, and the next call looks for the rest.
 */
export async function keepLanguages(
  sources: KeepLanguagesSources,
  embedders: Pick<SpaceEmbedders, 'forLanguages'>,
  options: KeepLanguagesOptions,
): Promise<void> {
  const { logger, signal } = options;
  let said = '';
  while (!signal.aborted) {
    try {
      if (embedders.forLanguages().length === 0) return;
      await follow(sources, new LanguageFilling(sources, embedders, options), options);
    } catch (error) {
      if (signal.aborted) return;
      const why = String(error);
      if (!hasCode(error, 'views_missing') && why !== said)
        logger.warn(`Documents are not embedded in the space of other languages for now: ${why}`, error);
      said = why;
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** @throws errors of the model and transient ones, after which another call begins again */
async function follow(
  sources: KeepLanguagesSources,
  filling: LanguageFilling,
  { signal, lookEveryMs = LOOK_EVERY_MS }: KeepLanguagesOptions,
): Promise<void> {
  const { store, spaces, views } = sources;
  const after = await store.head();
  if (!(await views.progress.reached(after, VIEWS_WAIT_MS)) && !signal.aborted) return;
  await filling.begin();
  const changed = new ChangedContainers();
  const stopping = new AbortController();
  const ended = AbortSignal.any([signal, stopping.signal]);
  let isUsed = false;
  const reading = (async () => {
    for await (const { events } of store.subscribe({
      ...{ after, filter: { types: CHANGES }, envelopesOnly: true, signal: ended },
    })) {
      for (const event of events) {
        if (event.envelope.type === 'AskedInOtherLanguage') filling.asked(event);
        else changed.add(event);
      }
    }
  })();
  // Awaited below; until then a rejection must not count as unhandled.
  reading.catch(() => stopping.abort());
  try {
    while (!ended.aborted) {
      await pause(lookEveryMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
      const taken = changed.take();
      isUsed ||= filling.wasAsked || (await spaces.load(LANGUAGES_GROUP)).choices > 0;
      if (!isUsed || ended.aborted) continue;
      // The views must show what has become of the documents.
      if (taken.length > 0) await views.progress.reached(await store.head(), VIEWS_WAIT_MS);
      await filling.round(taken);
    }
  } finally {
    stopping.abort();
    await reading;
  }
}
