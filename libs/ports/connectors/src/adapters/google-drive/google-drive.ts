import { allowRuleFor } from '#platform/fetch';
import { type JsonObject, newId } from '#platform/kernel';
import { TextSeal } from '#platform/sealing';
import type { Authorization, Permission } from '../../authorization.ts';
import type { ConnectionSetup, Connector } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import type { ConnectorTools } from '../../tools.ts';
import { addressesOf, hostsOf } from './addresses.ts';
import { Channels, ownerOf } from './channels.ts';
import { DriveApi } from './drive-api.ts';
import { DriveSource } from './drive-source.ts';
import { GoogleAccess, REFRESH_TOKEN } from './google-access.ts';
import { GoogleOAuth, SCOPE } from './google-oauth.ts';
import { readSetup, scopeOf } from './setup.ts';

const PROVIDER = 'google-drive';
const INTERVAL_MS = 4 * 3_600_000;

/** Reads Google Drive by its REST API, with the permission of one account. */
export function googleDrive({ config, fetch, clock, logger }: ConnectorTools): Connector {
  const { googleClientId: clientId, googleClientSecret: clientSecret, publicUrl } = config;
  const addresses = addressesOf(config.googleUrls);
  const allow = config.googleUrls?.map((url) => allowRuleFor(new URL(url))) ?? [];
  const guarded = () => fetch({ hosts: hostsOf(addresses), allow });
  const oauth = () =>
    new GoogleOAuth({ clientId: clientId ?? '', clientSecret: clientSecret ?? '', addresses, fetch: guarded() });
  const seal = new TextSeal(clientSecret ?? newId(), `${PROVIDER} notifications`);

  const apiOf = (access: Pick<GoogleAccess, 'token'>) =>
    new DriveApi({ address: addresses.drive, fetch: guarded(), access, clock });

  const authorization: Authorization = {
    addressOf: (departure) => oauth().authorizationUrl(departure),
    async permissionOf(arrival) {
      const tokens = await oauth().exchange(arrival);
      if (tokens.refresh === null || !tokens.scopes.includes(SCOPE)) {
        throw new SourceLostError('Google was not permitted to let this server read the files.');
      }
      const api = apiOf({ token: async () => tokens.access });
      const { user } = await api.get<About>(
        '/about',
        { fields: 'user(emailAddress,displayName)' },
        AbortSignal.timeout(30_000),
      );
      const account = user?.emailAddress ?? user?.displayName ?? 'a Google account';
      return { account, setup: { account }, secrets: { [REFRESH_TOKEN]: tokens.refresh } };
    },
    async decline({ secrets }: Permission) {
      await oauth().revoke(secrets[REFRESH_TOKEN] ?? '');
    },
  };

  return {
    provider: PROVIDER,
    missing: clientId === null ? 'MNEME_GOOGLE_CLIENT_ID and MNEME_GOOGLE_CLIENT_SECRET are not set.' : null,
    ...{ hasStableIds: true, interval: INTERVAL_MS, isOfOperator: false, authorization, readSetup },
    isChosen(setup: JsonObject) {
      const scope = scopeOf(setup);
      return scope.kind === 'full' || scope.chosen.length > 0;
    },
    notified(headers) {
      const owner = ownerOf(seal, headers['x-goog-channel-token'] ?? '');
      return owner === null ? null : { ...owner, hasChanged: headers['x-goog-resource-state'] !== 'sync' };
    },
    async open(connection: ConnectionSetup) {
      const access = new GoogleAccess(oauth(), connection.secrets, clock);
      const api = apiOf(access);
      const address = `${publicUrl}/v3/connections/notifications/${PROVIDER}`;
      // Google sends to addresses with TLS alone.
      const channels = publicUrl?.startsWith('https:')
        ? new Channels(api, connection.secrets, { address, seal, clock })
        : null;
      return new DriveSource({ connection, api, access, channels, logger });
    },
  };
}

interface About {
  readonly user?: { readonly emailAddress?: string; readonly displayName?: string };
}
