/** An answer that is an error, in the form that Google's APIs give it. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly domain: string;
  /** The parameter or header that is wrong. */
  readonly location: string | null;

  constructor(status: number, reason: string, message: string, location: string | null = null, domain = 'global') {
    super(message);
    this.status = status;
    this.reason = reason;
    this.domain = domain;
    this.location = location;
  }

  body(): object {
    const { status: code, reason, message, domain, location } = this;
    const locationType = location === 'Authorization' ? 'header' : 'parameter';
    const error = { message, domain, reason, ...(location !== null && { location, locationType }) };
    return { error: { code, message, errors: [error] } };
  }
}

export const invalid = (location: string, message = 'Invalid Value') => new ApiError(400, 'invalid', message, location);

export const notFound = (id: string) => new ApiError(404, 'notFound', `File not found: ${id}.`, 'fileId');
