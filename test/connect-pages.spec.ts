import { findChromium, Tab } from './support/browser.ts';
import { at, CALLBACK, depart, driveSettings } from './support/drive-connection.ts';
import { startGoogle } from './support/google/google.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** The pages on which a person confirms a connection and chooses what it reads, in a browser, by the keyboard. */

const chromium = findChromium();
const NAME = '<img src=x onerror=alert(1)> Farm';

if (chromium === null) {
  test.skip('SKIPPED: Chromium is not installed (Debian: chromium)', () => {});
} else {
  let google: Awaited<ReturnType<typeof startGoogle>>;
  let mneme: Mneme;
  let tab: Tab;

  beforeAll(async () => {
    google = await startGoogle();
    google.allow(CALLBACK);
    mneme = await Mneme.start({ env: driveSettings(google) });
  }, 120_000);
  afterAll(async () => {
    await tab?.close();
    await mneme?.stop();
    await google?.close();
  });

  const holds = (expression: string) =>
    eventually(async () => ((await tab.evaluate<boolean>(expression).catch(() => false)) ? true : null), 30_000);
  const press = (key: string) =>
    tab.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }))`,
    );

  test('a person agrees, opens a folder, chooses, and what was chosen comes', async () => {
    const farm = google.drive.addFolder({ name: NAME });
    google.drive.addFile({ name: 'plan.txt', content: 'The barn is painted in May.', parent: farm });
    const { page, id } = await depart(mneme);
    tab = await Tab.open(chromium);
    await tab.goTo(at(mneme, page));
    await holds(`document.getElementById('consent')?.hidden === false`);
    const text = await tab.evaluate<string>(`document.getElementById('consent').innerText`);
    expect(text).toContain('alice@example.com (google-drive)');
    expect(text).toContain('what you choose afterwards');

    const { body } = await mneme.request<{ url: string }>(
      'POST',
      `/v3/connections/${id}/google-drive/hosted-picker`,
      {},
    );
    expect(body.url).toBeUndefined();
    // Its next page has the public address, which leads nowhere here.
    await tab.evaluate(`document.querySelector('button[value=allow]').click()`);
    const picker = await eventually(async () => {
      const made = await mneme.request<{ url?: string }>(
        'POST',
        `/v3/connections/${id}/google-drive/hosted-picker`,
        {},
      );
      return made.body.url ?? null;
    });
    await tab.goTo('about:blank');
    await tab.goTo(at(mneme, picker));
    await holds(
      `document.getElementById('picker')?.hidden === false && document.querySelectorAll('#list li').length > 1`,
    );
    await tab.evaluate(`document.querySelector('#list li').focus()`);
    await press('Enter');
    await holds(`document.querySelectorAll('#list li').length === 1`);
    expect(await tab.evaluate<string>(`document.querySelector('#list li').innerText`)).toContain(NAME);
    await tab.evaluate(`document.querySelector('#list li').focus()`);
    await press(' ');
    await holds(`document.getElementById('count').textContent === '1 selected'`);
    await tab.evaluate(`document.getElementById('save').click()`);
    await holds(`document.getElementById('answer').textContent.startsWith('Saved.')`);
    await eventually(async () => {
      const listed = await mneme.request<{ memories: object[] }>('POST', '/v3/documents/list', {});
      return listed.body.memories.length === 1 ? true : null;
    });
  }, 120_000);
}
