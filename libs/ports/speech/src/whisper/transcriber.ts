import { availableParallelism } from 'node:os';
import { Parts } from '../parts.ts';
import { type Segment, type Transcriber, type Transcript } from '../port.ts';
import { openVoiceDetector } from '../voice.ts';
import { decode, open } from './decode.ts';
import { openWhisperModel, PART_SAMPLES } from './model.ts';
import { heardIn } from './segments.ts';
import { readTokens, type Tokens } from './tokens.ts';

/** Above this probability of silence, words of which the model is not sure are none. */
const SILENCE = 0.4;
const UNSURE = -1;
const languageNamed = (code: string, { languages }: Tokens): number | null =>
  [...languages].find(([, one]) => one === code)?.[0] ?? null;

/** The transcriber of this machine: Whisper, in the language that the first words are in. */
export async function openWhisper(folder: string): Promise<Transcriber> {
  // One core is left to requests.
  const threads = Math.max(1, Math.min(4, availableParallelism() - 1));
  const [model, tokens] = await Promise.all([openWhisperModel(folder, threads), readTokens(folder)]);
  return {
    async transcribe(samples, { before = [], heard = () => {} } = {}): Promise<Transcript> {
      const voice = await openVoiceDetector();
      const parts = new Parts(samples, voice, PART_SAMPLES);
      try {
        const segments: Segment[] = before.flatMap((part) => part.segments);
        const { next: from = 0, language: known = null } = before.at(-1) ?? {};
        let language = known === null ? null : languageNamed(known, tokens);
        const codeOf = () => (language === null ? null : (tokens.languages.get(language) ?? null));
        let next = from;
        for (let part = await parts.next(next); part !== null; part = await parts.next(next)) {
          const listen = await model.hear(part.samples);
          const hearing = listen();
          const opening = await open(hearing, tokens);
          const decoded = await decode(hearing, tokens, language ?? opening.language);
          const isNothing = opening.silence > SILENCE && decoded.confidence < UNSURE;
          const end = part.start + part.samples.length;
          const { segments: words, ...said } = isNothing ? { segments: [], next: end } : heardIn(decoded, tokens, part);
          segments.push(...words);
          if (words.length > 0) language ??= opening.language;
          next = said.next;
          heard({ segments: words, next, language: codeOf() }, parts.seconds);
        }
        return { segments, language: codeOf() };
      } finally {
        await parts.close();
        await voice.close();
      }
    },
    close: () => model.close(),
  };
}
