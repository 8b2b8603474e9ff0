"""Evidence of law: what tokens say of the law they were drawn from."""
