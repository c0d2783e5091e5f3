import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname!,
  base: "/",
  // React Aria contains its words in 30 languages, but the portal has only one.
  plugins: [react(), { ...locales.vite({ locales: ["en-US"] }), enforce: "pre" }],
  resolve: {
    alias: {
      // Its form for browsers reads a name such as &amp; by innerHTML, which the policy forbids.
      "decode-named-character-reference":
        `${import.meta.dirname}/../node_modules/decode-named-character-reference/index.js`,
      // All names together are a fifth of the code that reads Markdown. The rare ones are shown as
      // they are written.
      "character-entities": `${import.meta.dirname}/ui/entities.ts`,
    },
  },
  publicDir: "static",
  build: {
    rolldownOptions: {
      input: ["index.html", "service_worker.ts"].map((name) => `${import.meta.dirname}/${name}`),
      output: {
        // A service worker has one address for ever.
        entryFileNames: ({ name }) => name === "service_worker" ? "[name].js" : "assets/[name]-[hash].js",
      },
    },
    outDir: "../.portal",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // The policy forbids styles and pictures that are written into the page.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
  },
});
