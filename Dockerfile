# sim3d in a container: `docker build -t sim3d .`, then a stranger's pack, without network and without a way to change it:
#   docker run --rm --network none --cap-drop ALL --security-opt no-new-privileges --memory 9g \
#     -v "$PWD/pack:/pack:ro" sim3d validate /pack
# `--target develop` builds what the dev container and the tests use.

FROM python:3.11-slim-bookworm AS base
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN useradd --create-home --uid 1000 sim3d

# the wheel, made where its tools do not stay
FROM base AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY sim3d ./sim3d
RUN pip wheel --no-deps --wheel-dir /dist .

# tools of the tests: a browser, a screen in memory, make; Python packages come with `make test`
FROM base AS develop
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      chromium git libgl1-mesa-dri make nodejs npm sudo xdotool xvfb \
 && rm -rf /var/lib/apt/lists/* \
 && echo "sim3d ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/sim3d
USER sim3d
WORKDIR /workspaces/sim3d
CMD ["bash"]

FROM base AS use
COPY constraints.txt /tmp/constraints.txt
COPY --from=build /dist /dist
RUN pip install --constraint /tmp/constraints.txt /dist/*.whl && rm -r /dist /tmp/constraints.txt
USER sim3d
WORKDIR /pack
# compiled loops: made once, here, so that the first answer does not take minutes
RUN mkdir /tmp/pack && cd /tmp/pack \
 && printf 'v %s\n' '0 0 0' '60 0 0' '60 60 0' '0 60 0' '0 0 30' '60 0 30' '60 60 30' '0 60 30' > crate.obj \
 && printf 'f %s\n' '4 3 2 1' '5 6 7 8' '1 2 6 5' '2 3 7 6' '3 4 8 7' '4 1 5 8' >> crate.obj \
 && sim3d stand --mesh crate.obj --base 27 --at 30,30 \
 && sim3d validate /tmp/pack \
 && rm -r /tmp/pack
ENTRYPOINT ["sim3d"]
CMD ["--help"]
