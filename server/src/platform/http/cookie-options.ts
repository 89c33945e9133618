import type { FastifyRequest } from 'fastify';

/** Options of a session cookie: not readable by scripts, and `Secure` except on plain HTTP at a loopback host. */
export function cookieOptions(request: FastifyRequest, path: string, sameSite: 'lax' | 'strict' = 'lax') {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(request.hostname);
  return { path, httpOnly: true, sameSite, secure: request.protocol === 'https' || !isLocal };
}
