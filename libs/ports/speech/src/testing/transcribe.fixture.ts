/**
 * Transcribes recordings with the real weights: the runtime takes no arrays that the test runner makes.
 * Arguments: folder of the model, ffmpeg, then WAV files. Output: a list of the outcomes.
 */
import { decodeSound } from '../ffmpeg.ts';
import type { HeardPart } from '../port.ts';
import { openWhisper } from '../whisper/transcriber.ts';

const [model = '', ffmpeg = '', ...paths] = process.argv.slice(2);
const whisper = await openWhisper(model);
const outcomes: object[] = [];
const soundOf = (path = '') => decodeSound(ffmpeg, { path, format: 'wav' }, 600);
const parts: HeardPart[] = [];
for (const path of paths) {
  const reports: number[] = [];
  const heard = (part: HeardPart, seconds: number) => {
    if (path === paths[0]) parts.push(part);
    reports.push(seconds);
  };
  const transcript = await whisper.transcribe(soundOf(path), { heard });
  outcomes.push({ ...transcript, reports });
}
const enough = (): void => {
  throw new Error('enough');
};
const error = await whisper.transcribe(soundOf(paths[0]), { heard: enough }).catch(({ message }: Error) => message);
const again: HeardPart[] = [];
const before = parts.slice(0, 1);
const resumed = await whisper.transcribe(soundOf(paths[0]), { before, heard: (part) => void again.push(part) });
await whisper.close();
console.log(JSON.stringify({ outcomes, error, parts, again, resumed }));
