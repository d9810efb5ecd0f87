import type { SettingsRepository } from '#features/settings';
import { CHUNK_TOKENS } from '#processing/extraction';
import { ChunkTokens } from './chunk-tokens.ts';

let reads = 0;
let chunkSize: number | null = null;
const settings = {
  load: async () => {
    reads += 1;
    return { chunkSize };
  },
} as unknown as SettingsRepository;

const organization = 'o';
let tokens: ChunkTokens;
beforeEach(() => {
  reads = 0;
  tokens = new ChunkTokens(settings);
});

test('settings that were never changed are not read', async () => {
  expect(await tokens.of({ organization, settingsAt: null })).toBe(CHUNK_TOKENS);
  expect(reads).toBe(0);
});

test('settings are read once after each change', async () => {
  chunkSize = 40;
  for (let i = 0; i < 3; i += 1) expect(await tokens.of({ organization, settingsAt: '7' })).toBe(40);
  expect(reads).toBe(1);
  chunkSize = -1;
  expect(await tokens.of({ organization, settingsAt: '7' })).toBe(40);
  expect(await tokens.of({ organization, settingsAt: '9' })).toBe(CHUNK_TOKENS);
  expect(await tokens.of({ organization: 'p', settingsAt: '9' })).toBe(CHUNK_TOKENS);
  expect(reads).toBe(3);
});

test('they are read each time if the work does not name a change, and kept within limits', async () => {
  chunkSize = 5;
  expect(await tokens.of({ organization })).toBe(20);
  chunkSize = 5000;
  expect(await tokens.of({ organization })).toBe(500);
});
