/**
 * Imports go one way: platform <- ports <- adapters, models of features <- projections, pipeline, use cases <- composition <- apps.
 * A driver (SQLite, EventStoreDB, ONNX, HTML parser) appears only in the folder that owns it.
 */
const lib = (names) => `^libs/[^/]+/(${names})/src/`;
const SPEC = '\\.(spec|contract|fixture)\\.ts$';
/** Events, states, folds and decisions of the models. */
const PURE =
  '^libs/features/[^/]+/(model/)?src/[a-z/-]*(catalogue|events|state|evolve|decide|progress|summary|former-tags|claim|key|organization|vector-space|memory|details|versions)\\.ts$';
const driver = (name, packages, owners) => ({
  name,
  severity: 'error',
  from: { pathNot: owners },
  to: { path: packages },
});

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'kernel-imports-nothing',
      severity: 'error',
      from: { path: lib('kernel'), pathNot: SPEC },
      to: { pathNot: ['^libs/platform/kernel/', '^node:'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'pure-files-of-a-model',
      comment:
        'Events, decisions and folds import nothing but the kernel and each other; those of documents, memories too.',
      severity: 'error',
      from: { path: PURE, pathNot: SPEC },
      to: {
        pathNot: ['^libs/platform/kernel/src/index\\.ts$', '^libs/features/memories/src/index\\.ts$', PURE],
      },
    },
    {
      name: 'pure-decisions-of-use-cases',
      comment: 'A decision of a use case needs only the types of its model.',
      severity: 'error',
      from: { path: '^libs/features/[^/]+/use-cases/src/.*/decide[a-z-]*\\.ts$' },
      to: { dependencyTypesNot: ['type-only', 'local'], pathNot: '^libs/platform/kernel/' },
    },
    {
      name: 'models-know-no-framework',
      severity: 'error',
      from: {
        path: lib(
          'documents|documents/clean-up|connections|connections/sync|memories|access|audit|proxy|proxy/formats|team|container-tags|settings|vector-spaces|search|projections|extraction|event-store',
        ),
        pathNot: SPEC,
      },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'only-the-application-imports-use-cases',
      severity: 'error',
      from: { path: '^libs/', pathNot: ['^libs/features/[^/]+/use-cases/', '^libs/composition/application/', SPEC] },
      to: { path: '^libs/features/[^/]+/use-cases/' },
    },
    {
      name: 'use-cases-do-not-know-each-other',
      severity: 'error',
      from: { path: '^libs/features/([^/]+)/use-cases/', pathNot: SPEC },
      to: { path: '^libs/features/[^/]+/use-cases/', pathNot: '^libs/features/$1/use-cases/' },
    },
    {
      name: 'platform-imports-only-platform',
      severity: 'error',
      from: { path: '^libs/platform/', pathNot: [SPEC, '/testing/'] },
      to: { path: '^libs/', pathNot: '^libs/platform/' },
    },
    {
      name: 'only-apps-import-the-composition',
      severity: 'error',
      from: { path: '^libs/', pathNot: ['^libs/composition/', SPEC] },
      to: { path: '^libs/composition/' },
    },
    {
      name: 'libraries-never-import-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-do-not-know-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    ...[
      { of: 'apps', from: '^apps/', own: '^apps/' },
      { of: 'libs', from: '^libs/([^/]+/[^/]+)/src/', own: '^libs/$1/src/' },
      { of: 'parts', from: '^libs/([^/]+/[^/]+/[^/]+)/src/', own: '^libs/$1/src/' },
    ].map(({ of, from, own }) => ({
      name: `${of}-import-only-the-index-of-a-library`,
      severity: 'error',
      from: { path: from, pathNot: [SPEC, '/testing/'] },
      to: {
        path: ['^libs/[^/]+/[^/]+/src/(?!index\\.ts$)', '^libs/[^/]+/[^/]+/[^/]+/src/(?!index\\.ts$)'],
        pathNot: own,
      },
    })),
    {
      name: 'adapters-do-not-know-each-other',
      severity: 'error',
      from: { path: '^libs/([^/]+/[^/]+)/src/adapters/([^/]+)/' },
      to: { path: '^libs/[^/]+/[^/]+/src/adapters/([^/]+)/', pathNot: '^libs/$1/src/adapters/$2/' },
    },
    {
      name: 'threads-and-children-know-no-framework',
      severity: 'error',
      from: { path: '\\.(worker|child)\\.ts$' },
      to: { path: 'node_modules/@nestjs/', reachable: true },
    },
    driver('sqlite-in-its-adapters', '^node:sqlite$', '^libs/platform/sqlite/|/adapters/sqlite/'),
    driver(
      'nats-in-its-adapters',
      'node_modules/@nats-io/',
      '^libs/platform/nats/|/adapters/nats/|^apps/server/src/nats/',
    ),
    driver(
      'eventstoredb-in-its-adapter',
      'node_modules/(@eventstore|@grpc|google-protobuf|@types/google-protobuf)/',
      '/adapters/eventstoredb/|^test/',
    ),
    {
      name: 'nothing-but-specs-imports-tests',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
    driver('opensearch-in-its-adapters', 'node_modules/@opensearch-project/', '/adapters/opensearch/'),
    driver(
      'rate-limiter-in-its-adapter',
      'node_modules/rate-limiter-flexible/',
      '^libs/ports/rate-limit/src/adapters/in-memory/',
    ),
    driver(
      'class-validator-in-one-file',
      'node_modules/class-validator/',
      '^libs/platform/input/src/class-validator\\.ts$',
    ),
    {
      name: 'openapi-tools-never-at-run-time',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/main\\.ts$' },
      to: { path: 'node_modules/(@nestjs/swagger|@nestjs/testing|typescript)/|^apps/server/openapi/', reachable: true },
    },
    driver(
      'prometheus-in-one-file',
      'node_modules/prom-client/',
      '^libs/platform/telemetry/src/metrics/prometheus\\.ts$',
    ),
    driver(
      'openid-in-sign-in-and-connector',
      'node_modules/openid-client/',
      '^libs/(platform/oidc|ports/connectors/src/adapters/google-drive)/',
    ),
    driver('tool-protocol-in-the-tool-server', 'node_modules/@modelcontextprotocol/', '^apps/server/src/mcp/'),
    driver('tokenizer-in-one-library', 'node_modules/gpt-tokenizer/', '^libs/platform/tokens/'),
    driver('progress-bars-in-one-library', 'node_modules/cli-progress/', '^libs/platform/progress-bars/'),
    {
      name: 'ways-out-in-fetch',
      comment:
        'libs/platform/fetch is the only way to an address that a caller gave. The others listen, use the control socket, or measure.',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: [
          '^libs/platform/fetch/',
          '^libs/platform/control-socket/src/(call|serve)\\.ts$',
          '^libs/composition/startup/src/status-server\\.ts$',
          '^libs/platform/telemetry/src/listening\\.ts$',
          '^apps/demo/src/scripted-provider\\.ts$',
          // Only checks addresses.
          '^libs/platform/config/src/fetch-allow\\.ts$',
          '/testing/',
          SPEC,
        ],
      },
      to: {
        path: ['^(node:)?(http|https|http2|net|tls|dns|dgram)$', '^(node:)?dns/promises$', 'node_modules/undici/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    driver(
      'onnx-in-its-libraries',
      'node_modules/(onnxruntime-node|@huggingface|@jjhbw)/',
      '^libs/ports/(models|speech)/',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['mneme-source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
