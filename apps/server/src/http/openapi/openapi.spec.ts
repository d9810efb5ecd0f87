import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

describe('OpenAPI', () => {
  test('the document lists every route with its permission and its operation id, which never changes', async () => {
    const { body: document } = await http.call('GET', '/v3/openapi');
    const routes = Object.entries<Record<string, { 'x-permission': string | null; operationId: string }>>(
      document.paths,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, route]) => `${method.toUpperCase()} ${path} ${route['x-permission']} ${route.operationId}`,
      ),
    );
    expect(routes.sort()).toEqual([
      'DELETE /v3/auth/keys/{id} admin revokeKey',
      'DELETE /v3/auth/scoped-key/{id} admin revokeScopedKey',
      'DELETE /v3/connections/{id} full-write deleteConnection',
      'DELETE /v3/container-tags/{tag} admin deleteContainerTag',
      'DELETE /v3/documents/bulk write deleteDocuments',
      'DELETE /v3/documents/{id} write deleteDocument',
      'DELETE /v3/organizations/{id} installation deleteOrganization',
      'DELETE /v3/projects/{id} admin deleteProject',
      'DELETE /v3/session read deleteSession',
      'DELETE /v3/team/invitations/{id} admin withdrawInvitation',
      'DELETE /v3/team/members/{id} admin removeMember',
      'DELETE /v4/memories write forgetMemory',
      'GET / null getService',
      'GET /.well-known/oauth-authorization-server null getAuthorizationServer',
      'GET /.well-known/oauth-protected-resource null getProtectedResourceOfServer',
      'GET /.well-known/oauth-protected-resource/mcp null getProtectedResource',
      'GET /connect/confirm null getConfirmationPage',
      'GET /connect/picker null getPickerPage',
      'GET /oauth/authorize null getAuthorizePage',
      'GET /oauth/request read getAccessRequest',
      'GET /openapi.json null getOpenApiFile',
      'GET /v3/account/memberships full getMemberships',
      'GET /v3/analytics/errors full getErrors',
      'GET /v3/analytics/logs full listRequests',
      'GET /v3/analytics/memory full getAnalyticsTotals',
      'GET /v3/analytics/usage full getUsage',
      'GET /v3/audit admin listAudit',
      'GET /v3/auth/account/memberships full getAuthMemberships',
      'GET /v3/auth/keys full listKeys',
      'GET /v3/connections/auth/callback/{provider} null returnFromProvider',
      'GET /v3/connections/{id} full getConnection',
      'GET /v3/connections/{id}/items full listConnectionItems',
      'GET /v3/connections/{id}/resources full listResources',
      'GET /v3/connections/{id}/sync-runs full listSyncRuns',
      'GET /v3/connections/{provider}/callback null returnFromProviderShortly',
      'GET /v3/container-tags/list read listContainerTags',
      'GET /v3/container-tags/merge/{mergeId} admin getContainerTagMerge',
      'GET /v3/container-tags/{tag} read getContainerTag',
      'GET /v3/container-tags/{tag}/profile read getContainerTagProfile',
      'GET /v3/docs null getApiPage',
      'GET /v3/docs/{asset} null getApiPageFile',
      'GET /v3/documents/processing read listProcessingDocuments',
      'GET /v3/documents/{id} read getDocument',
      'GET /v3/documents/{id}/chunks read getDocumentChunks',
      'GET /v3/documents/{id}/events read getDocumentEvents',
      'GET /v3/documents/{id}/file-url read getFileUrl',
      'GET /v3/events read followEvents',
      'GET /v3/files/{token} null getFile',
      'GET /v3/health null getHealth',
      'GET /v3/me full getAccount',
      'GET /v3/openapi null getOpenApi',
      'GET /v3/organizations installation listOrganizations',
      'GET /v3/projects full listProjects',
      'GET /v3/session read getSession',
      'GET /v3/session/oidc null startSignIn',
      'GET /v3/session/oidc/callback null finishSignIn',
      'GET /v3/settings full getSettings',
      'GET /v3/team/invitations admin listInvitations',
      'GET /v3/team/invitations/accept null getAcceptPage',
      'GET /v3/team/members full listMembers',
      'GET /v4/memories/{id}/events read getMemoryEvents',
      'PATCH /v3/auth/keys/{id} admin updateKey',
      'PATCH /v3/container-tags/{tag} full-write updateContainerTag',
      'PATCH /v3/documents/{id} write updateDocument',
      'PATCH /v3/organizations/{id} installation updateOrganization',
      'PATCH /v3/settings admin updateSettings',
      'PATCH /v3/team/members/{id} admin updateMember',
      'PATCH /v4/memories write reviseMemory',
      'POST /connect/answer null answerConnectionRequest',
      'POST /connect/picker/list null listPickerResources',
      'POST /connect/picker/selection null answerPicker',
      'POST /connect/request null getConnectionRequest',
      'POST /mcp read callTools',
      'POST /oauth/consent read answerAccessRequest',
      'POST /oauth/register null registerClient',
      'POST /oauth/revoke null revokeToken',
      'POST /oauth/token null exchangeToken',
      'POST /upload/{id} null uploadPreparedFile',
      'POST /v3/auth/keys admin createKey',
      'POST /v3/auth/scoped-key admin createScopedKey',
      'POST /v3/connections/list full listConnections',
      'POST /v3/connections/notifications/{provider} null takeNotification',
      'POST /v3/connections/{id} full-write createConnection',
      'POST /v3/connections/{id}/configure full-write configureConnection',
      'POST /v3/connections/{id}/confirm admin confirmRemoval',
      'POST /v3/connections/{id}/connection full findConnection',
      'POST /v3/connections/{id}/documents full listConnectionDocuments',
      'POST /v3/connections/{id}/google-drive/hosted-picker full-write openPicker',
      'POST /v3/connections/{id}/import full-write syncConnections',
      'POST /v3/connections/{id}/sync full-write syncConnection',
      'POST /v3/container-tags/merge admin mergeContainerTags',
      'POST /v3/documents write addDocument',
      'POST /v3/documents/batch write addDocuments',
      'POST /v3/documents/documents read listDocumentsWithMemories',
      'POST /v3/documents/documents/by-ids read getDocumentsWithMemories',
      'POST /v3/documents/documents/facets read countDocuments',
      'POST /v3/documents/file write uploadFile',
      'POST /v3/documents/list read listDocuments',
      'POST /v3/documents/{id}/retry write retryDocument',
      'POST /v3/organizations installation createOrganization',
      'POST /v3/projects full-write createProject',
      'POST /v3/search read searchDocuments',
      'POST /v3/session read createSession',
      'POST /v3/session/organization read switchOrganization',
      'POST /v3/settings/reset admin resetSettings',
      'POST /v3/settings/suggest-buckets admin suggestBuckets',
      'POST /v3/team/invitations admin createInvitation',
      'POST /v3/team/invitations/accept null acceptInvitation',
      'POST /v4/context read getContext',
      'POST /v4/conversations write saveConversation',
      'POST /v4/memories write recordMemories',
      'POST /v4/memories/forget-matching write forgetMatchingMemories',
      'POST /v4/memories/list read listMemories',
      'POST /v4/memories/restore write restoreMemories',
      'POST /v4/profile read getProfile',
      'POST /v4/search read searchMemories',
    ]);
    const add = document.paths['/v3/documents'].post;
    expect(Object.keys(add.responses)).toEqual(['200', '400', '401', '403', '409', '413', '429', '500', '503']);
    expect(document.components.schemas.AddDocumentInput).toMatchObject({
      required: ['content'],
      properties: { customId: { type: 'string', minLength: 1, maxLength: 255 } },
    });
  });

  test('the same document is at the root', async () => {
    const { text } = await http.call('GET', '/v3/openapi');
    expect(await http.call('GET', '/openapi.json')).toMatchObject({
      ...{ status: 200, text },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
  });

  test('every reference in the served document resolves', async () => {
    const { text, body } = await http.call('GET', '/v3/openapi');
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(body.components.schemas).toHaveProperty(name);
  });

  test('the page loads its files from this server; no other file of the package is served', async () => {
    const page = await http.call('GET', '/v3/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).not.toMatch(/https?:/);
    for (const [, url] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await http.call('GET', `/v3/${url}`)).status).toBe(200);
    }
    for (const name of ['package.json', 'index.html', '..%2Fpackage.json', 'constructor']) {
      expect((await http.call('GET', `/v3/docs/${name}`)).status).toBe(404);
    }
  });
});
