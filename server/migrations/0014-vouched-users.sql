-- Whom only a customer's own people know: made by them, and neither known to an administrator nor proven by a mail.
-- Before anybody else builds on such a user, what was set for it is set anew.
alter table users add column vouched boolean not null default true;
