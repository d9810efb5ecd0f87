import { IsAnyJson, IsOneOf, IsText, Required, ShownBy } from '#platform/input';

/** A message of JSON-RPC 2.0, as the Model Context Protocol defines it. */
@ShownBy({
  'List the tools': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'Call a tool': {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'search_memory', arguments: { query: 'Where is the kick-off?', containerTag: 'project-atlas' } },
  },
})
export class RpcMessage {
  /** Always 2.0. */
  @Required()
  @IsOneOf(['2.0'])
  jsonrpc!: string;

  /** Of a request, which is answered under this id. */
  @IsAnyJson()
  id?: unknown;

  /** Of a request or notification. */
  @IsText({ min: 1, max: 255 })
  method?: string;

  /** What the method takes. */
  @IsAnyJson(null)
  params?: unknown;

  /** Of an answer to the server, which asks nothing. */
  @IsAnyJson(null)
  result?: unknown;

  /** Of an answer to the server, which asks nothing. */
  @IsAnyJson(null)
  error?: unknown;
}
