import { ApiPage } from './support/api-page.ts';
import { findChromium, Tab } from './support/browser.ts';
import { ExampleRun, keyFor, WITH_MORE, WITHOUT_SITES } from './support/example-run.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';
import { type Example, OpenApi } from './support/openapi.ts';

/** The page of the API in a browser. Skipped where no Chromium is installed (Debian: `apt-get install chromium`). */

const chromium = findChromium();
const withBrowser = chromium === null ? describe.skip : describe;

/** The form sends the fields that have an example, and no invented values for the others. */
async function expectPlainUpload(mneme: Mneme): Promise<void> {
  const { body } = await mneme.get('/v3/documents/handbook');
  const metadata = { kind: 'manual', pages: 12 };
  expect(body).toMatchObject({ containerTags: ['project-atlas'], metadata, filepath: '/atlas/handbook.md' });
}

withBrowser('the page of the API', () => {
  const api = OpenApi.read();
  const session = api.examples.find(({ operation }) => operation.operationId === 'getSession') as Example;
  let mneme: Mneme;
  let tab: Tab;
  let page: ApiPage;
  beforeAll(async () => {
    mneme = await Mneme.start({ env: WITHOUT_SITES });
    tab = await Tab.open(chromium as string);
    page = new ApiPage(tab, mneme.url);
    await page.load();
  });
  afterAll(async () => {
    await tab?.close();
    await mneme.stop();
  });

  test('keeps the key when it is loaded again', async () => {
    expect((await page.send(session, {})).status).toBe(401);
    await page.authorize(OWNER_KEY);
    await page.load();
    await page.authorized();
    expect((await page.send(session, {})).status).toBe(200);
  });

  test('sends every example, and each is accepted', async () => {
    const run = new ExampleRun(mneme);
    const refused: string[] = [];
    let key = OWNER_KEY;
    for (const example of api.examples) {
      const { operationId } = example.operation;
      if (keyFor(example.operation) !== key) {
        key = keyFor(example.operation);
        await page.authorize(key);
      }
      // They are for pages with a session, which this one is not.
      if (operationId in WITH_MORE) continue;
      // Its response does not end.
      if (operationId === 'followEvents') {
        expect(await page.canSend(operationId)).toBe(false);
        continue;
      }
      const shown = new Set(example.parameters.filter((one) => one.example !== undefined).map(({ name }) => name));
      const needed = [...run.parametersOf(example)].filter(([name]) => !shown.has(name));
      const parameters = Object.fromEntries(needed.map(([name, { value }]) => [name, value]));
      const body = run.bodyOf(example);
      const answer = await page.send(example, parameters, body === example.body ? null : body);
      if (answer.status >= 300 || !answer.shown.startsWith(String(answer.status))) {
        refused.push(`${operationId} ${example.name}: ${JSON.stringify(answer)}`);
      }
      await run.goOn(example, answer.status, answer.body);
      if (operationId === 'uploadFile') await expectPlainUpload(mneme);
    }
    expect(refused).toEqual([]);
    // Each of some 130 examples takes seconds of a browser on a busy machine.
  }, 1_800_000);

  test('loads nothing from other servers', () => {
    const others = tab.requested.filter((url) => !url.startsWith(mneme.url) && !url.startsWith('data:'));
    expect(others).toEqual([]);
  });
});
