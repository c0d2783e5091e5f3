/** Words of the sign-in page. */
export const signIn = {
  title: "Sign in",
  email: "Email",
  password: "Password",
  submit: "Sign in",
  pending: "Signing in…",
};
