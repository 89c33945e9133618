import { exampleIdentifier } from './example-identifier.ts';

/** People and things that appear in the examples of several resources. */

export const roomToken = 'frm_Zt3mQ8vXk2Ry7Wp1Nc5Hs9LbJf4Vd6Gu0Ae8Tq2Yx7K';
export const clientSecret = 'fcs_Q7m2Zk9Xv4Tb1Rj6Wp3Ns8Hd5Lg0EaYc3Fo7Ui2BxKs';
export const linkToken = 'finv_Jy2Rk9Wb7Es3Lh5Dn0GpAfUc8Iv2QaKtMT6m1Zq8Xo4';
/** A teacher at the school, besides its owner. */
export const colleague = {
  first_name: 'Rui',
  last_name: 'Carvalho',
  full_name: 'Rui Carvalho',
  email: 'rui.carvalho@aurora-school.example',
};

export const roomUrl = `https://meet.example.com/rooms/${exampleIdentifier('room').id}/portuguese-b1`;
export const webhookSecret = 'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlcyBpbiB0aGUgZ3VpZGU=';
