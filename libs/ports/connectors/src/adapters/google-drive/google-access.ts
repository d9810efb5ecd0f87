import type { Clock } from '#platform/kernel';
import type { ConnectionSecrets } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import type { GoogleOAuth } from './google-oauth.ts';

/** Name of the secret. */
export const REFRESH_TOKEN = 'refresh-token';

/** A token is renewed this long before it ends. Milliseconds. */
const MARGIN_MS = 60_000;

/** Access tokens of one connection. */
export class GoogleAccess {
  readonly #oauth: GoogleOAuth;
  readonly #secrets: ConnectionSecrets;
  readonly #clock: Clock;
  #token: { readonly value: string; readonly until: number } | null = null;
  #renewal: Promise<string> | null = null;

  constructor(oauth: GoogleOAuth, secrets: ConnectionSecrets, clock: Clock) {
    this.#oauth = oauth;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /**
   * @param refused a token that Google did not take; another one is returned
   * @throws SourceLostError, FetchFailedError
   */
  async token(refused: string | null = null): Promise<string> {
    const known = this.#token;
    if (known !== null && known.value !== refused && this.#clock.now() < known.until) return known.value;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** Gives the permission back. @throws FetchFailedError */
  async revoke(): Promise<void> {
    const refresh = await this.#secrets.get(REFRESH_TOKEN);
    if (refresh !== null) await this.#oauth.revoke(refresh);
    this.#token = null;
  }

  async #renew(): Promise<string> {
    const refresh = await this.#secrets.get(REFRESH_TOKEN);
    if (refresh === null) throw new SourceLostError('The connection has no permission of Google. Connect it again.');
    const tokens = await this.#oauth.refresh(refresh);
    if (tokens.refresh !== null && tokens.refresh !== refresh) await this.#secrets.put(REFRESH_TOKEN, tokens.refresh);
    this.#token = { value: tokens.access, until: this.#clock.now() + tokens.expiresIn * 1000 - MARGIN_MS };
    return tokens.access;
  }
}
