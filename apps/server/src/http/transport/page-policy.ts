import { createHash } from 'node:crypto';

/**
 * Returns the content security policy of a page with a script of its own: nothing is loaded from, or sent to, another server.
 * @param options.files whether the page also loads scripts, styles and pictures from this server. Default: no
 */
export function pagePolicy(script: string, options: { readonly files?: boolean } = {}): string {
  const hash = createHash('sha256').update(script).digest('base64');
  const files = options.files ? "'self' " : '';
  return [
    "default-src 'none'",
    `script-src ${files}'sha256-${hash}'`,
    `style-src ${files}'unsafe-inline'`,
    ...(options.files ? ["img-src 'self' data:"] : []),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
