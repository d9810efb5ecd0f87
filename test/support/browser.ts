import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Returns the path of an installed Chromium, or null. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string } };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A tab of a headless Chromium, driven over the DevTools protocol. */
export class Tab {
  /** Addresses of all requests of the tab. */
  readonly requested: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #open = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  #session: string | undefined;
  #last = 0;

  static async open(program: string): Promise<Tab> {
    const profile = await mkdtemp(join(tmpdir(), 'mneme-chromium-'));
    const options = [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--window-size=1200,1600',
    ];
    const child = spawn(
      program,
      [...options, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const address = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        const found = /DevTools listening on (ws:\S+)/.exec(line);
        if (found) resolve(found[1] as string);
      });
      child.once('close', (code) => reject(new Error(`Chromium exited with code ${code}`)));
      child.once('error', reject);
    });
    const socket = new WebSocket(address);
    await once(socket, 'open');
    const tab = new Tab(child, profile, socket);
    const { targetId } = await tab.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await tab.call('Target.attachToTarget', { targetId, flatten: true });
    tab.#session = sessionId as string;
    await tab.call('Network.enable');
    await tab.call('Page.enable');
    return tab;
  }

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Reply));
  }

  async goTo(url: string): Promise<void> {
    await this.call('Page.navigate', { url });
  }

  /** Returns the value of an expression in the page; a promise is awaited, and the value is copied as JSON. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.call('Runtime.evaluate', {
      ...{ expression, awaitPromise: true, returnByValue: true },
    })) as { result: { value: T }; exceptionDetails?: { text: string; exception?: { description?: string } } };
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async close(): Promise<void> {
    this.#socket.close();
    const gone = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    await gone;
    await rm(this.#profile, { recursive: true, force: true });
  }

  /** Sends a command of the DevTools protocol. */
  call(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    this.#last += 1;
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    this.#open.set(this.#last, answer);
    this.#socket.send(
      JSON.stringify({ id: this.#last, method, params, ...(this.#session && { sessionId: this.#session }) }),
    );
    return answer.promise;
  }

  #receive({ id, method, params, result, error }: Reply): void {
    if (method === 'Network.requestWillBeSent') this.requested.push(params?.request?.url ?? '');
    const answer = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || answer === undefined) return;
    this.#open.delete(id);
    if (error) answer.reject(new Error(error.message));
    else answer.resolve(result ?? {});
  }
}
