import { createHash } from 'node:crypto';
import type { IssuedKey, KeyRepository, Organizations } from '#features/access';
import { AuthorizationServer, type ClientDocuments } from '#features/oauth';
import type { OrganizationId, Principal } from '#platform/kernel';
import { AnswerAuthorization } from './answer-authorization/answer-authorization.command.ts';
import { AnswerAuthorizationHandler } from './answer-authorization/answer-authorization.handler.ts';
import { ReadAuthorizationHandler } from './read-authorization/read-authorization.handler.ts';
import { ReadAuthorization } from './read-authorization/read-authorization.query.ts';
import { RedeemCode } from './redeem-code/redeem-code.command.ts';
import { RedeemCodeHandler } from './redeem-code/redeem-code.handler.ts';

const [SECOND, MINUTE] = [1_000, 60_000];
const VERIFIER = 'v'.repeat(43);
const REDIRECT = 'http://127.0.0.1:4000/back';
const PERSON: Principal = {
  ...{ organization: 'o1' as OrganizationId, keyId: 'm1', member: 'm1', session: 's1', role: 'owner' },
  ...{ tags: 'all', writableTags: 'all' },
};

/** The steps of a connection on one server, with a clock. */
async function connecting() {
  const clock = { time: Date.parse('2026-01-02T03:04:05Z'), now: () => clock.time };
  const values = new Map<string, string>();
  const server = new AuthorizationServer({
    publicUrl: 'http://127.0.0.1:6767',
    secrets: {
      get: async ({ name }) => values.get(name) ?? null,
      put: async ({ name }, value) => void values.set(name, value),
      list: async () => [],
    },
    documents: {} as ClientDocuments,
  });
  const keys: Pick<KeyRepository, 'grant'> = {
    grant: async (organization, _cause, payload) =>
      ({ ...payload, organization, isEnabled: true, createdAt: 0 }) as IssuedKey,
  };
  const organizations = { nameOf: async () => 'Harbour' } as unknown as Organizations;
  const clientId = await server.register({ name: 'Agent', redirectUris: [REDIRECT] });
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const wish = { clientId, redirectUri: REDIRECT, challenge, state: null, scope: undefined, resource: undefined };
  return {
    pass: (ms: number) => {
      clock.time += ms;
    },
    ask: async () => {
      const asked = await new ReadAuthorizationHandler(server, organizations, clock).execute(
        new ReadAuthorization(PERSON, wish),
      );
      if (!asked.ok) throw new Error(asked.error);
      return asked.value.request;
    },
    agree: (request: string) =>
      new AnswerAuthorizationHandler(server, clock).execute(
        new AnswerAuthorization(PERSON, request, { access: 'read', containerTags: null }),
      ),
    redeem: (address: string) =>
      new RedeemCodeHandler(server, keys as KeyRepository, clock).execute(
        new RedeemCode({
          code: new URL(address).searchParams.get('code') ?? '',
          ...{ clientId, redirectUri: REDIRECT, verifier: VERIFIER },
        }),
      ),
  };
}

test('a person has ten minutes to answer an application', async () => {
  const { ask, agree, pass } = await connecting();
  const request = await ask();
  pass(10 * MINUTE - 1);
  expect(await agree(request)).toMatchObject({ ok: true });
  pass(1);
  expect(await agree(request)).toEqual({ ok: false, error: 'authorization_over' });
});

test('an application has a minute to exchange its code, and its access token is for an hour', async () => {
  const { ask, agree, redeem, pass } = await connecting();
  const agreed = await agree(await ask());
  if (!agreed.ok) throw new Error(agreed.error);
  pass(60 * SECOND - 1);
  expect(await redeem(agreed.value)).toMatchObject({ ok: true, value: { expiresIn: 3_600, scope: 'read' } });
  pass(1);
  expect(await redeem(agreed.value)).toEqual({ ok: false, error: 'grant_invalid' });
});
