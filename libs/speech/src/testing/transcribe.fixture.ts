/**
 * Transcribes recordings with the real weights: the runtime takes no arrays that the test runner makes.
 * Arguments: folder of the model, ffmpeg, then WAV files. Output: a list of the outcomes.
 */
import { decodeSound } from '../ffmpeg.ts';
import { openWhisper } from '../whisper/transcriber.ts';

const [model = '', ffmpeg = '', ...paths] = process.argv.slice(2);
const whisper = await openWhisper(model);
const outcomes: object[] = [];
for (const path of paths) {
  const reports: number[] = [];
  const sound = decodeSound(ffmpeg, { path, format: 'wav' }, 600);
  const transcript = await whisper.transcribe(sound, (seconds) => reports.push(seconds));
  outcomes.push({ ...transcript, reports });
}
const enough = (): void => {
  throw new Error('enough');
};
const sound = decodeSound(ffmpeg, { path: paths[0] ?? '', format: 'wav' }, 600);
const error = await whisper.transcribe(sound, enough).catch(({ message }: Error) => message);
await whisper.close();
console.log(JSON.stringify({ outcomes, error }));
