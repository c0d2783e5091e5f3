{{- define "handoff.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "handoff.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "handoff.labels" -}}
{{ include "handoff.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "handoff.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
# Sockets between the processes of a pod.
volumes:
  - name: data
    emptyDir: {}
{{- end -}}

{{- define "handoff.container" -}}
image: "{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - name: data
    mountPath: /data
envFrom:
  - secretRef:
      name: {{ .Values.secretName }}
{{- end -}}

{{- define "handoff.env" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.secretName }}
      key: {{ .Values.database.secretKey }}
- name: DATABASE_CONNECTIONS
  value: {{ .Values.database.connections | quote }}
- name: PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
# Named here so that a pod without them doesn't start, instead of generating its own.
- name: AUTH_SECRET
  valueFrom:
    secretKeyRef: { name: {{ .Values.secretName }}, key: AUTH_SECRET }
- name: ENCRYPTION_KEY
  valueFrom:
    secretKeyRef: { name: {{ .Values.secretName }}, key: ENCRYPTION_KEY }
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}
