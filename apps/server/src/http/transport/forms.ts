import type { FastifyInstance } from 'fastify';
import { invalid } from '#platform/input';
import { routeConfig } from '../access/route-config.ts';
import { wrongType } from './json-body.ts';

const MAX_BYTES = 65_536;

/** The route takes `application/x-www-form-urlencoded` as well as JSON. */
export const TakesForm = (): MethodDecorator => routeConfig({ isForm: true });

/** Reads the fields of forms as those of a JSON object. A field that is there twice is refused. */
export function acceptForms(instance: FastifyInstance): void {
  const options = { parseAs: 'string', bodyLimit: MAX_BYTES } as const;
  instance.addContentTypeParser('application/x-www-form-urlencoded', options, (request, payload, done) => {
    const text = String(payload);
    const refusal = request.routeOptions.config.isForm === true ? null : wrongType(request);
    if (refusal !== null) return text === '' ? done(null, {}) : done(refusal);
    const fields = new URLSearchParams(text);
    const twice = [...fields.keys()].find((name) => fields.getAll(name).length > 1);
    if (twice !== undefined) return done(invalid(twice.slice(0, 100), `${twice.slice(0, 100)} is there twice`));
    return done(null, Object.fromEntries(fields));
  });
}
