import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf, unique } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const postal = {
  address_type: 'PostalAddress',
  country: 'pt',
  city: 'Lisboa',
  address_line1: 'Rua Augusta',
  building_number: '12',
  postal_code: '1100-053',
} as const;
const mobile = { telephone_type: 'mobile', number: '912 345 678' } as const;
const vat = { type: 'eu_vat', value: 'pt 501 964 843' } as const;

async function createTestCustomer(body: Record<string, unknown> = {}) {
  const { id } = await makeCustomer(api, { country: 'PT', currency: 'EUR', ...body });
  return { customer_id: id };
}

async function listDefaultFlags(params: { customer_id: string }) {
  const { data } = await api.admin.listCustomerAddresses({ params, query: { orderBy: 'id', sortedBy: 'asc' } });
  return data.map((address) => [address.address_type, address.city, address.default]);
}

describe('an address', () => {
  test('is created, read, changed, found and deleted', async () => {
    const params = await createTestCustomer();
    const { data } = await api.admin.createCustomerAddress({ params, body: { ...postal, metadata: { gate: 'B' } } });
    expect(data).toMatchObject({
      object: 'Address',
      id: expect.stringMatching(/^addr_/),
      customer_id: params.customer_id,
      default: true,
      country: 'PT',
      state: null,
      po_box: null,
      metadata: { gate: 'B' },
    });
    const addressParams = { ...params, address_id: data.id };
    const { data: changed } = await api.admin.updateCustomerAddress({
      params: addressParams,
      body: { po_box: 'Apartado 7', address_line1: null, metadata: null, customer_id: params.customer_id } as never,
    });
    expect(changed).toMatchObject({ po_box: 'Apartado 7', address_line1: null, city: 'Lisboa', metadata: {} });
    expect((await api.admin.readCustomerAddress({ params: addressParams })).data).toEqual(changed);
    const { data: matches } = await api.admin.listCustomerAddresses({ params, query: { search: 'lisb;country:PT' } });
    expect(matches).toEqual([changed]);
    await api.admin.deleteCustomerAddress({ params: addressParams });
    expect((await refusalOf(api.admin.readCustomerAddress({ params: addressParams }))).status).toBe(404);
  });

  test.each([
    [{}, ['address_type', 'country', 'city']],
    [{ ...postal, address_type: 'Home', country: 'XX', city: '' }, ['address_type', 'country', 'city']],
    [{ ...postal, address_line1: '' }, ['address_line1']],
    [{ ...postal, default: 'yes', metadata: { a: { b: {} } } }, ['default', 'metadata.a']],
    [{ ...postal, postal_code: 'x'.repeat(21), state: 'x'.repeat(151) }, ['postal_code', 'state']],
  ])('is rejected with %j', async (body, fields) => {
    const params = await createTestCustomer();
    const refusal = await refusalOf(api.admin.createCustomerAddress({ params, body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields.toSorted()]);
  });

  test('keeps its required members after every change: country, city, and an address line or a PO box', async () => {
    const params = await createTestCustomer();
    const { data } = await api.admin.createCustomerAddress({ params, body: postal });
    const addressParams = { ...params, address_id: data.id };
    const patch = (body: Record<string, unknown>) => api.admin.updateCustomerAddress({ params: addressParams, body });
    expect(Object.keys((await refusalOf(patch({ address_line1: null }))).errors)).toEqual(['address_line1']);
    expect(Object.keys((await refusalOf(patch({ city: null, country: null }))).errors)).toEqual(['country', 'city']);
    expect(Object.keys((await refusalOf(patch({ country: 'ZZ' }))).errors)).toEqual(['country']);
  });

  test('has one default per type: the first, until another one replaces it', async () => {
    const params = await createTestCustomer();
    const add = async (city: string, body: Record<string, unknown> = {}) =>
      (await api.admin.createCustomerAddress({ params, body: { ...postal, city, ...body } })).data;
    const first = await add('A', { default: false });
    const second = await add('B');
    await add('C', { default: true });
    await add('D', { address_type: 'BillingAddress' });
    expect(await listDefaultFlags(params)).toEqual([
      ['PostalAddress', 'A', false],
      ['PostalAddress', 'B', false],
      ['PostalAddress', 'C', true],
      ['BillingAddress', 'D', true],
    ]);
    await api.admin.updateCustomerAddress({ params: { ...params, address_id: second.id }, body: { default: true } });
    const refusal = await refusalOf(
      api.admin.updateCustomerAddress({ params: { ...params, address_id: second.id }, body: { default: false } }),
    );
    expect([refusal.status, refusal.code]).toEqual([409, 'default-required']);
    await api.admin.updateCustomerAddress({
      params: { ...params, address_id: second.id },
      body: { address_type: 'BillingAddress' },
    });
    expect(await listDefaultFlags(params)).toEqual([
      ['PostalAddress', 'A', true],
      ['BillingAddress', 'B', false],
      ['PostalAddress', 'C', false],
      ['BillingAddress', 'D', true],
    ]);
    await api.admin.deleteCustomerAddress({ params: { ...params, address_id: first.id } });
    expect((await listDefaultFlags(params))[1]).toEqual(['PostalAddress', 'C', true]);
  });

  test('has one default per type, also with concurrent requests', async () => {
    const params = await createTestCustomer();
    const created = await Promise.all(
      Array.from({ length: 8 }, () => api.admin.createCustomerAddress({ params, body: { ...postal, default: true } })),
    );
    const count = async () => (await listDefaultFlags(params)).filter(([, , isDefault]) => isDefault).length;
    expect(await count()).toBe(1);
    await Promise.all(
      created
        .slice(2)
        .map(({ data }) => api.admin.deleteCustomerAddress({ params: { ...params, address_id: data.id } })),
    );
    expect(await count()).toBe(1);
  });
});

describe('a telephone', () => {
  test('is stored as E.164, with the country code of the customer by default', async () => {
    const params = await createTestCustomer();
    const { data } = await api.admin.createCustomerTelephone({ params, body: mobile });
    expect(data).toMatchObject({
      object: 'Telephone',
      id: expect.stringMatching(/^tel_/),
      number: '+351912345678',
      telephone_extension: null,
      default: true,
    });
    const telephoneParams = { ...params, telephone_id: data.id };
    const { data: changed } = await api.admin.updateCustomerTelephone({
      params: telephoneParams,
      body: { telephone_type: 'landline', number: '+49 30 123456 ext. 12' },
    });
    expect(changed).toMatchObject({ number: '+4930123456', telephone_extension: '12', default: true });
    const { data: cleared } = await api.admin.updateCustomerTelephone({
      params: telephoneParams,
      body: { telephone_extension: null },
    });
    expect(cleared).toMatchObject({ number: '+4930123456', telephone_extension: null });
    await api.admin.deleteCustomerTelephone({ params: telephoneParams });
    expect((await api.admin.listCustomerTelephones({ params })).data).toEqual([]);
  });

  test.each([
    [{}, ['telephone_type', 'number']],
    [{ telephone_type: 'fax', number: '912 345 678' }, ['telephone_type']],
    [{ ...mobile, number: '12' }, ['number']],
    [{ ...mobile, number: '+999 1234567' }, ['number']],
    [{ ...mobile, telephone_extension: 'x1' }, ['telephone_extension']],
  ])('is rejected with %j', async (body, fields) => {
    const params = await createTestCustomer();
    const refusal = await refusalOf(api.admin.createCustomerTelephone({ params, body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields.toSorted()]);
  });

  test('has one default per type', async () => {
    const params = await createTestCustomer();
    const add = (body: Record<string, unknown>) =>
      api.admin.createCustomerTelephone({ params, body: { ...mobile, ...body } });
    const { data: first } = await add({});
    await add({ number: '913 345 678' });
    await add({ telephone_type: 'landline', number: '213 345 678' });
    await api.admin.deleteCustomerTelephone({ params: { ...params, telephone_id: first.id } });
    const { data } = await api.admin.listCustomerTelephones({ params, query: { search: 'default:true' } });
    expect(data.map(({ telephone_type: type, number }) => [type, number])).toEqual([
      ['landline', '+351213345678'],
      ['mobile', '+351913345678'],
    ]);
  });
});

describe('a legal document', () => {
  test('is stored without punctuation, and only once', async () => {
    const params = await createTestCustomer();
    const { data } = await api.admin.createCustomerLegalDocument({ params, body: { ...vat, issued_at: '2020-05-06' } });
    expect(data).toMatchObject({
      object: 'LegalDocument',
      id: expect.stringMatching(/^doc_/),
      type: 'eu_vat',
      country: 'PT',
      value: 'PT501964843',
      issued_at: '2020-05-06T00:00:00.000000Z',
    });
    const twice = await refusalOf(
      api.admin.createCustomerLegalDocument({ params, body: { ...vat, value: '501964843' } }),
    );
    expect(twice.errors).toEqual({ value: ['The customer already has this document.'] });
    const legalDocumentParams = { ...params, legal_document_id: data.id };
    const { data: changed } = await api.admin.updateCustomerLegalDocument({
      params: legalDocumentParams,
      body: { type: 'br_cnpj', value: '12.ABC.345/01DE-35', issued_at: null },
    });
    expect(changed).toMatchObject({ type: 'br_cnpj', country: 'BR', value: '12ABC34501DE35', issued_at: null });
    const { data: withMetadata } = await api.admin.updateCustomerLegalDocument({
      params: legalDocumentParams,
      body: { metadata: { a: 1 } },
    });
    expect(withMetadata).toMatchObject({ country: 'BR', value: '12ABC34501DE35', metadata: { a: 1 } });
    await api.admin.deleteCustomerLegalDocument({ params: legalDocumentParams });
    expect((await api.admin.listCustomerLegalDocuments({ params })).data).toEqual([]);
  });

  test.each([
    [{}, ['type', 'value']],
    [{ type: 'passport', value: 'x' }, ['type']],
    [{ ...vat, value: 'PT501964844' }, ['value']],
    [{ ...vat, country: 'ES' }, ['country']],
    [{ ...vat, country: 'XX' }, ['country']],
    [{ type: 'br_cpf', value: '111.444.777-36', country: 'PT' }, ['country', 'value']],
    [{ type: 'br_cnpj', value: '12ABC34501DE36', issued_at: '2026-03-11' }, ['value', 'issued_at']],
    [{ type: 'other', value: 'x'.repeat(101), issued_at: '2026-02-30' }, ['value', 'issued_at']],
  ])('is rejected with %j', async (body, fields) => {
    const params = await createTestCustomer();
    const refusal = await refusalOf(api.admin.createCustomerLegalDocument({ params, body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([422, fields.toSorted()]);
  });

  test('is valid for its type after every change', async () => {
    const params = await createTestCustomer();
    const { data } = await api.admin.createCustomerLegalDocument({ params, body: vat });
    const legalDocumentParams = { ...params, legal_document_id: data.id };
    const patch = (body: Record<string, unknown>) =>
      api.admin.updateCustomerLegalDocument({ params: legalDocumentParams, body });
    expect(Object.keys((await refusalOf(patch({ type: 'br_cpf' }))).errors)).toEqual(['value']);
    expect(Object.keys((await refusalOf(patch({ country: 'DE' }))).errors)).toEqual(['country']);
    expect((await patch({ type: 'other', country: 'DE' })).data).toMatchObject({ value: 'PT501964843', country: 'DE' });
  });

  test('is created once by concurrent equal requests', async () => {
    const params = await createTestCustomer();
    const created = await Promise.allSettled(
      Array.from({ length: 6 }, () => api.admin.createCustomerLegalDocument({ params, body: vat })),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await api.admin.listCustomerLegalDocuments({ params })).data).toHaveLength(1);
  });
});

test('records can be included in their customer, can include the customer, and are deleted with the customer', async () => {
  const params = await createTestCustomer();
  await api.admin.createCustomerAddress({ params, body: postal });
  await api.admin.createCustomerTelephone({ params, body: mobile });
  const { data: document } = await api.admin.createCustomerLegalDocument({ params, body: vat });
  const { data } = await api.admin.readCustomer({ params, query: { include: 'addresses,telephones,legal_documents' } });
  expect(data).toMatchObject({
    addresses: { data: [{ city: 'Lisboa' }] },
    telephones: { data: [{ number: '+351912345678' }] },
    legal_documents: { data: [{ value: 'PT501964843' }] },
  });
  const { data: documentWithCustomer } = await api.admin.readCustomerLegalDocument({
    params: { ...params, legal_document_id: document.id },
    query: { include: 'customer' },
  });
  expect(documentWithCustomer).toMatchObject({ customer: { data: { id: params.customer_id } } });
  await api.admin.updateCustomer({ params, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params });
  expect((await refusalOf(api.admin.listCustomerAddresses({ params }))).status).toBe(404);
  const { rows } = await api.app.connection.pool.query(
    `select customer_id from customer_addresses where customer_id = $1
     union all select customer_id from customer_telephones where customer_id = $1
     union all select customer_id from customer_legal_documents where customer_id = $1`,
    [data.uuid],
  );
  expect(rows).toEqual([]);
});

test('records of another customer are not found', async () => {
  const [params, otherParams] = [await createTestCustomer(), await createTestCustomer()];
  const { data: address } = await api.admin.createCustomerAddress({ params, body: postal });
  const { data: telephone } = await api.admin.createCustomerTelephone({ params, body: mobile });
  const { data: document } = await api.admin.createCustomerLegalDocument({ params, body: vat });
  const calls = [
    api.admin.updateCustomerAddress({ params: { ...otherParams, address_id: address.id }, body: { city: 'X' } }),
    api.admin.deleteCustomerAddress({ params: { ...otherParams, address_id: address.id } }),
    api.admin.updateCustomerTelephone({
      params: { ...otherParams, telephone_id: telephone.id },
      body: { default: true },
    }),
    api.admin.deleteCustomerTelephone({ params: { ...otherParams, telephone_id: telephone.id } }),
    api.admin.updateCustomerLegalDocument({ params: { ...otherParams, legal_document_id: document.id }, body: {} }),
    api.admin.deleteCustomerLegalDocument({ params: { ...otherParams, legal_document_id: document.id } }),
    api.admin.listCustomerAddresses({ params: { customer_id: 'cust_01jd0000000000000000000000' } }),
    api.admin.createCustomerTelephone({ params: { customer_id: 'cust_01jd0000000000000000000000' }, body: mobile }),
  ];
  expect((await Promise.all(calls.map(refusalOf))).map(({ status }) => status)).toEqual(calls.map(() => 404));
});

test('users need read-customer to read the records of a customer, and update-customer to change them', async () => {
  const params = await createTestCustomer();
  const password = 'records of many customers';
  const { data: user } = await api.admin.createUser({
    body: { email: `${unique('reader')}@example.com`, first_name: 'R', last_name: 'D', password },
  });
  const setPermissions = (permissions: string[]) =>
    api.admin.updateCustomerUser({
      params: { ...params, user_id: user.id },
      body: { permissions: permissions as ['read-customer'] },
    });
  await api.admin.createCustomerUser({ params, body: { user_id: user.id, permissions: ['read-customer'] } });
  const { access_token: token } = await api.anyone.loginUser({ body: { username: user.email, password } });
  const reader = api.clientWith(token);
  await api.admin.createCustomerAddress({ params, body: postal });
  expect((await reader.listCustomerAddresses({ params })).data).toHaveLength(1);
  const { data: included } = await reader.readCustomer({ params, query: { include: 'addresses' } });
  expect(included).toMatchObject({ addresses: { data: [{ city: 'Lisboa' }] } });
  expect((await refusalOf(reader.createCustomerAddress({ params, body: postal }))).status).toBe(403);
  await setPermissions(['read-customer', 'update-customer']);
  expect((await reader.createCustomerTelephone({ params, body: mobile })).data.default).toBe(true);
  await setPermissions([]);
  expect([403, 404]).toContain((await refusalOf(reader.listCustomerAddresses({ params }))).status);
});
