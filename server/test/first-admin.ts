/** The administrator of every test database. */
export const firstAdmin = { username: 'root', email: 'root@example.com', password: 'a long enough password' };
