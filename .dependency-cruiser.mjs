/**
 * Imports go one way: kernel <- domain <- ports <- adapters, projections, pipeline <- apps.
 * A driver (SQLite, EventStoreDB, ONNX, HTML parser) appears only in the folder that owns it.
 */
const lib = (names) => `^libs/(${names})/`;
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
      from: { path: lib('kernel'), pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^libs/kernel/', '^node:'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: lib('domain'), pathNot: '\\.spec\\.ts$' },
      to: { pathNot: [lib('domain|kernel')] },
    },
    {
      name: 'libraries-never-import-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'only-the-index-of-a-library',
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/', pathNot: '\\.(spec|contract)\\.ts$' },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts$)', pathNot: '^libs/$2/' },
    },
    {
      name: 'adapters-do-not-know-each-other',
      severity: 'error',
      from: { path: '^libs/([^/]+)/src/adapters/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/adapters/([^/]+)/', pathNot: '^libs/$1/src/adapters/$2/' },
    },
    driver('sqlite-in-its-adapters', '^node:sqlite$', '/adapters/sqlite/'),
    driver('nats-in-its-adapters', 'node_modules/@nats-io/', '^libs/nats/|/adapters/nats/|^apps/server/src/nats/'),
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
    driver('opensearch-in-its-adapter', 'node_modules/@opensearch-project/', '^libs/views/src/adapters/opensearch/'),
    driver(
      'rate-limiter-in-its-adapter',
      'node_modules/rate-limiter-flexible/',
      '^libs/rate-limit/src/adapters/in-memory/',
    ),
    driver('class-validator-in-one-file', 'node_modules/class-validator/', '^apps/server/src/http/validation/'),
    {
      name: 'openapi-tools-never-at-run-time',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/main\\.ts$' },
      to: { path: 'node_modules/(@nestjs/swagger|@nestjs/testing|typescript)/|^apps/server/openapi/', reachable: true },
    },
    driver('onnx-in-models', 'node_modules/(onnxruntime-node|@huggingface)/', '^libs/models/'),
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
