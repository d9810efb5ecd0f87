import { packName, whisperBase } from '#ports/models';
import type { MachineResources } from '#processing/extraction';

type Presence = 'present' | 'missing';

/** What a process reads files with, beside the code. Files that need something else are read all the same. */
export interface ExtractionHealth {
  /** The languages of the settings. */
  readonly ocr: readonly { readonly language: string; readonly state: Presence }[];
  readonly whisper: Presence;
  readonly ffmpeg: Presence;
}

export async function extractionHealth(
  resources: Pick<MachineResources, 'has'>,
  languages: readonly string[],
): Promise<ExtractionHealth> {
  const state = async (name: string) => ((await resources.has(name)) ? 'present' : 'missing');
  return {
    ocr: await Promise.all(languages.map(async (language) => ({ language, state: await state(packName(language)) }))),
    whisper: await state(whisperBase.name),
    ffmpeg: await state('ffmpeg'),
  };
}
