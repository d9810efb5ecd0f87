import type { HttpOptions } from '../index.ts';
import { listen, startTestApp, type TestApp } from './fake-application.ts';
import { initialFake } from './fake-handlers.ts';

/** Starts an application for the tests of a file, and resets the fake one before each test. */
export function useTestApp(options: Partial<HttpOptions> = {}): TestApp {
  return use(() => startTestApp(options));
}

/** The same, listening on a free port. */
export function useListeningApp(options: Partial<HttpOptions> = {}): TestApp & { readonly url: string } {
  return use(async () => {
    const http = await startTestApp(options);
    return { ...http, url: await listen(http) };
  });
}

function use<T extends TestApp>(start: () => Promise<T>): T {
  const http = {} as T;
  beforeAll(async () => {
    Object.assign(http, await start());
  });
  afterAll(() => http.app.close());
  beforeEach(() => {
    Object.assign(http.fake, initialFake());
  });
  return http;
}
