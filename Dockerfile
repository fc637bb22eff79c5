# `docker build -t datacheck .`, then
#   docker run --rm --network none -v "$PWD:/data" datacheck run contract.yaml --data train=train.jsonl
FROM python:3.11-slim AS built
COPY requirements/base.txt /src/requirements/base.txt
RUN python -m venv /opt/datacheck \
    && /opt/datacheck/bin/pip install --no-cache-dir --require-hashes -r /src/requirements/base.txt
COPY . /src
RUN /opt/datacheck/bin/pip install --no-cache-dir hatchling babel ziglang \
    && /opt/datacheck/bin/pip install --no-cache-dir --no-deps --no-build-isolation /src \
    && /opt/datacheck/bin/pip uninstall --yes hatchling babel ziglang

FROM python:3.11-slim
COPY --from=built /opt/datacheck /opt/datacheck
RUN useradd --create-home datacheck
USER datacheck
ENV PATH=/opt/datacheck/bin:$PATH DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false
WORKDIR /data
ENTRYPOINT ["datacheck"]
CMD ["--help"]
