{{- define "diegetic.name" -}}
{{- if contains "diegetic" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-diegetic" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "diegetic.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "diegetic.selector" . }}
{{- end }}

{{- define "diegetic.selector" -}}
app.kubernetes.io/name: diegetic
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "diegetic.image" -}}
{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
{{- end }}

{{- /* What every pod shares: no rights, no writable file system but /tmp. */}}
{{- define "diegetic.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 16Mi
{{- with .Values.caCertificates.configMap }}
  - name: ca-certificates
    configMap:
      name: {{ . }}
{{- end }}
{{- end }}

{{- define "diegetic.containerSettings" -}}
image: {{ include "diegetic.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- if .Values.caCertificates.configMap }}
  - name: ca-certificates
    mountPath: /etc/ca-certificates
    readOnly: true
{{- end }}
{{- end }}

{{- /* Node reads them beside its own. */}}
{{- define "diegetic.caCertificatesVariable" -}}
- name: NODE_EXTRA_CA_CERTS
  value: {{ printf "/etc/ca-certificates/%s" .Values.caCertificates.key | quote }}
{{- end }}

{{- /* One variable from the Secret; arguments: root, variable, key of values.secret.keys. */}}
{{- define "diegetic.secretVariable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ required "secret.name is required: the Secret with the addresses of the stores and the keys" .root.Values.secret.name }}
      key: {{ get .root.Values.secret.keys .key }}
      {{- if has .key (list "setupToken" "matchIdKeys" "tracingHeaders") }}
      # Once there is an operator, the token is not needed; match ids have a default key; not every receiver of traces wants headers.
      optional: true
      {{- end }}
{{- end }}
