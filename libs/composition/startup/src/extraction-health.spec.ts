import { extractionHealth } from './extraction-health.ts';

test('each language of the settings, the Whisper model and ffmpeg are present or missing', async () => {
  const has = async (name: string) => ['ocr-eng', 'ffmpeg'].includes(name);
  expect(await extractionHealth({ has }, ['eng', 'deu'])).toEqual({
    ocr: [
      { language: 'eng', state: 'present' },
      { language: 'deu', state: 'missing' },
    ],
    whisper: 'missing',
    ffmpeg: 'present',
  });
});
