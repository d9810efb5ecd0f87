import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceKeyOf } from '#features/proxy';
import { sendError } from '../errors/send-error.ts';
import type { HttpOptions } from '../options.ts';
import type { ProxiedCalls } from './proxied-calls.ts';
import type { ProxyParts } from './proxy-parts.ts';

/** Not OPTIONS, which no route handles. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];
const ROUTES = ['/v3/http*', '/proxy/*'];

/**
 * Passes calls of language models on to their providers (contract §4.12). Outside of the API's description, because a path
 * holds any address. What only they need is loaded with the first one.
 */
export function serveProxy(instance: FastifyInstance, options: HttpOptions, parts: () => ProxyParts): void {
  const { proxy } = options;
  if (!proxy) return;
  let opened: Promise<ProxiedCalls> | null = null;

  const open = async (): Promise<ProxiedCalls> => {
    const { ProxiedCalls } = await import('./proxied-calls.ts');
    return new ProxiedCalls({ ...options, proxy }, parts());
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      opened ??= open();
      await (await opened).answer(request, reply);
    } catch (error) {
      sendError(request, reply, error);
    }
    return reply;
  };

  void instance.register(async (scope) => {
    // Bodies are passed on as they come, so none is parsed.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const url of ROUTES) {
      const config = { access: 'read', keyOf: serviceKeyOf, takesAnyBody: true, countedAs: 'chat' } as const;
      scope.route({ method: METHODS, url, config, handler: answer });
    }
    scope.addHook('onClose', async () => (await opened)?.close());
  });
}
