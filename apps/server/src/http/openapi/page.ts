import { pagePolicy } from '../transport/page-policy.ts';

/**
 * The key stays in the session storage of the browser tab until the tab is closed. The page cannot show a stream that does
 * not end, so it sends no request for one. Fields of a form without an example are empty and not sent: Swagger UI
 * would invent values. `validatorUrl: null` keeps it from sending the address of the document to another server.
 */
const SCRIPT = `
const KEY = 'mneme-api-key';
const plugin = {
  wrapComponents: {
    JsonSchemaForm: (Form, { React }) => (props) => {
      const isFirst = React.useRef(true);
      React.useEffect(() => {
        isFirst.current = false;
      }, []);
      const isInvented = props.dispatchInitialValue && !props.schema.has('examples') && !props.schema.has('default');
      return React.createElement(Form, isFirst.current && isInvented ? { ...props, value: '' } : props);
    },
    ParameterIncludeEmpty: (Choice, { React }) => (props) =>
      React.createElement(Choice, { ...props, isIncludedOptions: { key: props.isIncludedOptions?.key } }),
  },
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (entries) => {
          sessionStorage.setItem(KEY, entries.key.value);
          return authorize(entries);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(KEY);
          return logout(names);
        },
      },
    },
    spec: {
      wrapSelectors: {
        allowTryItOutFor: (_, system) => (state, path, method) =>
          !system.specSelectors
            .specJson()
            .hasIn(['paths', path, method, 'responses', '200', 'content', 'text/event-stream']),
      },
    },
  },
};
const ui = SwaggerUIBundle({
  url: 'openapi',
  dom_id: '#ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [() => plugin],
  onComplete: () => {
    const key = sessionStorage.getItem(KEY);
    if (key) ui.preauthorizeApiKey('key', key);
  },
});
`;

export const PAGE_POLICY = pagePolicy(SCRIPT, { files: true });

// Relative addresses work behind a proxy that adds a prefix.
export const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Mneme API</title>
  <link rel="icon" href="docs/favicon-32x32.png">
  <link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
  <div id="ui"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script>${SCRIPT}</script>
</body>
</html>
`;
