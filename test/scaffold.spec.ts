import { cp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Checkout } from './support/checkout.ts';

/** `npm run new` writes parts that run, and names them where the program looks for them. */

const ROOT = resolve(import.meta.dirname, '..');

let checkout: Checkout;
beforeAll(async () => {
  checkout = await Checkout.withTools();
  for (const path of ['libs', 'docs/decisions', 'jest.config.mjs']) {
    await cp(join(ROOT, path), join(checkout.root, path), { recursive: true });
  }
});
afterAll(() => checkout.remove());

const scaffold = (...args: readonly string[]) => checkout.run(process.execPath, 'tools/new.mjs', ...args);
const evaluated = (code: string) =>
  checkout.run(process.execPath, '--conditions=mneme-source', '--input-type=module', '-e', code);

test('use cases pass their tests, and their handlers are provided', async () => {
  for (const [form, name] of [
    ['command', 'documents/pin-document'],
    ['query', 'container-tags/count-tags'],
  ] as const) {
    expect(await scaffold(form, name)).toMatchObject({ code: 0 });
  }
  const jest = ['node_modules/jest/bin/jest.js', '--roots', 'libs', '--runInBand'];
  const { code, err } = await checkout.run(process.execPath, ...jest, 'pin-document', 'count-tags');
  expect({ code, passed: /^Tests: .*/m.exec(err)?.[0] }).toEqual({ code: 0, passed: 'Tests:       2 passed, 2 total' });
  const module = await readFile(
    join(checkout.root, 'libs/features/documents/use-cases/src/documents.module.ts'),
    'utf8',
  );
  expect(module).toMatch(/providers: \[[^\]]*\bPinDocumentHandler,/);
});

test('a read model and an extractor are in their registries', async () => {
  expect(await scaffold('read-model', 'document-additions')).toMatchObject({ code: 0 });
  expect(await scaffold('extractor', 'toml')).toMatchObject({ code: 0 });
  const listed = await evaluated(`
    const { READ_MODELS } = await import('./libs/read-side/projections/src/read-models/index.ts');
    const { EXTRACTORS } = await import('./libs/processing/extraction/src/extractors/registry.ts');
    console.log(READ_MODELS.at(-1).name, EXTRACTORS.some(({ kind }) => kind === 'toml'));`);
  expect(listed).toMatchObject({ code: 0, out: 'document_additions true\n' });
});

test('a decision has the next number', async () => {
  const { code, out } = await scaffold('decision', 'Pins are facts about a document');
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringMatching(/new +docs\/decisions\/\d{4}-pins-are-facts/),
  });
});

test.each([
  [['pin', 'x'], /npm run new command FEATURE\/NAME/],
  [['command', 'nothing/pin-document'], /libs\/features\/nothing\/use-cases\/src does not exist/],
  [['extractor', 'pdf'], /pdf\.extractor\.ts exists already/],
])('%j is refused, and nothing is written', async (args, message) => {
  const registry = join(checkout.root, 'libs/processing/extraction/src/extractors/registry.ts');
  const before = await readFile(registry, 'utf8');
  expect(await scaffold(...args)).toMatchObject({ code: 1, err: expect.stringMatching(message) });
  expect(await readFile(registry, 'utf8')).toBe(before);
});
