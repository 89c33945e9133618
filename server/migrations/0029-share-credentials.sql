-- What an account signs in with; nobody changes it until the transaction ends. A function, so that a statement that
-- writes can ask: the second factor is read after the lock, and so as whoever held it before has left it.
create function share_credentials(of_population text, of_id uuid, out password_hash text, out has_second_factor boolean)
language plpgsql as $$
begin
  if of_population = 'admins' then
    select admins.password_hash into password_hash from admins where id = of_id for share;
    has_second_factor :=
      exists(select from admin_two_factor where admin_id = of_id and confirmed_at is not null);
  else
    select users.password_hash into password_hash from users where id = of_id for share;
    has_second_factor := false;
  end if;
end
$$;
