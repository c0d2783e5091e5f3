import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname!,
  base: "/",
  // React Aria contains its words in 30 languages, but the portal has only one.
  plugins: [react(), { ...locales.vite({ locales: ["en-US"] }), enforce: "pre" }],
  build: {
    outDir: "../.portal",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // The policy forbids styles and pictures that are written into the page.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
  },
});
