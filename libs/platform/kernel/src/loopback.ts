/** As `URL` writes every address of IPv4. */
const IPV4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Whether the host of a URL is this machine. @param host as `URL` has it: addresses of IPv6 stand in brackets */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || host === '[::1]' || IPV4.test(host);
