"""What a file places otherwise than it seems: parts that are not printed, and skins that follow their joints."""

from __future__ import annotations

import numpy as np
import pytest

from sim3d.forge.bad import cube, glb, gltf_parts, joined, mesh_xml, model_xml, threemf
from tests.codes import fires, silent
from tests.hostile import accepted, refused

HALF = "0.5 0 0 0 0.5 0 0 0 0.5 20 0 0"


def bambu(subtype):
    """An object of two parts, and what Bambu Studio says about the second."""
    used = f'<component objectid="1" /><component objectid="3" transform="{HALF}" />'
    parts = f'<object id="1" type="model">{mesh_xml()}</object><object id="3" type="model">{mesh_xml()}</object>'
    parts += f'<object id="2" type="model"><components>{used}</components></object>'
    said = '<config><object id="2"><part id="1" subtype="normal_part" />'
    said += f'<part id="3" subtype="{subtype}" /></object></config>'
    return threemf(model_xml(parts, '<item objectid="2" />'), more=[("Metadata/model_settings.config", said)])


def prusa(*metadata):
    """An object of two cubes, and what PrusaSlicer says about the second."""
    said = "".join(f'<metadata type="volume" key="{key}" value="{value}" />' for key, value in metadata)
    said = f'<config><object id="1"><volume firstid="12" lastid="23">{said}</volume></object></config>'
    both = f'<object id="1" type="model">{mesh_xml(joined(cube(), cube(at=(20, 0, 0))))}</object>'
    return threemf(model_xml(both), more=[("Metadata/Slic3r_PE_model.config", said)])


@pytest.mark.parametrize("subtype", ["modifier_part", "support_blocker", "support_enforcer", "negative_part"])
def test_parts_that_bambu_studio_does_not_print(tmp_path, subtype):
    one = accepted(tmp_path, "a.3mf", bambu(subtype))
    assert one.volume_mm3 == pytest.approx(1000)
    if subtype == "negative_part":
        assert fires("THREEMF_NEGATIVE_PART", one.findings)
        assert silent("FILE_PARTS_SKIPPED", one.findings)
    else:
        assert silent("THREEMF_NEGATIVE_PART", one.findings)
        assert fires("FILE_PARTS_SKIPPED", one.findings)
        assert subtype in one.findings.findings[0].message
    both = accepted(tmp_path, "b.3mf", bambu("normal_part"))
    assert both.volume_mm3 == pytest.approx(1000 + 125)
    assert silent("FILE_PARTS_SKIPPED", both.findings)
    assert silent("THREEMF_NEGATIVE_PART", both.findings)


@pytest.mark.parametrize(
    "said",
    [("volume_type", kind) for kind in ("ParameterModifier", "SupportEnforcer", "SupportBlocker", "NegativeVolume")]
    + [("modifier", "1")],
)
def test_volumes_that_prusa_slicer_does_not_print(tmp_path, said):
    one = accepted(tmp_path, "a.3mf", prusa(("name", "Box"), said))
    assert one.volume_mm3 == pytest.approx(1000)
    assert fires("THREEMF_NEGATIVE_PART" if said[1] == "NegativeVolume" else "FILE_PARTS_SKIPPED", one.findings)
    both = accepted(tmp_path, "b.3mf", prusa(("volume_type", "ModelPart"), ("modifier", "0")))
    assert both.volume_mm3 == pytest.approx(2000)
    assert silent("FILE_PARTS_SKIPPED", both.findings)


@pytest.mark.parametrize("kind", ["support", "solidsupport", "other"])
def test_objects_that_are_no_model(tmp_path, kind):
    parts = f'<object id="1" type="model">{mesh_xml()}</object><object id="2" type="{kind}">{mesh_xml()}</object>'
    build = f'<item objectid="1" /><item objectid="2" transform="{HALF}" />'
    one = accepted(tmp_path, "a.3mf", threemf(model_xml(parts, build)))
    assert one.volume_mm3 == pytest.approx(1000)
    assert f"1 object of type {kind}" in one.findings.findings[0].message
    # A component takes the type of what it is in.
    whole = '<object id="3" type="model"><components><component objectid="2" /></components></object>'
    inner = accepted(tmp_path, "b.3mf", threemf(model_xml(parts + whole, '<item objectid="3" />')))
    assert inner.volume_mm3 == pytest.approx(1000)
    assert fires("MESH_EMPTY", refused(tmp_path, "c.3mf", threemf(model_xml(parts, '<item objectid="2" />'))))


@pytest.mark.parametrize(("said", "printed"), [("0", False), ("false", False), ("1", True), ("true", True)])
def test_items_that_are_marked_as_not_printable(tmp_path, said, printed):
    half = f'<object id="3" type="model">{mesh_xml()}</object>'
    whole = '<object id="2" type="model"><components><component objectid="3" /></components></object>'
    parts = f'<object id="1" type="model">{mesh_xml()}</object>{half}{whole}'
    build = f'<item objectid="1" /><item objectid="2" printable="{said}" transform="1 0 0 0 1 0 0 0 1 20 0 0" />'
    one = accepted(tmp_path, "a.3mf", threemf(model_xml(parts, build)))
    assert one.volume_mm3 == pytest.approx(2000 if printed else 1000)
    if printed:
        assert silent("FILE_PARTS_SKIPPED", one.findings)
    else:
        (found,) = one.findings
        assert found.message.endswith("not printed: 1 object marked as not printable")


def test_meshes_outside_the_scene_are_said(tmp_path):
    nodes = [{"mesh": 0}, {"mesh": 0, "translation": [1, 0, 0]}, {"children": [1]}]
    for scenes, told in (
        ([{"nodes": [0]}], "1 mesh that is not in the scene"),
        ([{"nodes": [0]}, {"nodes": [2]}], "1 mesh that is not in the scene, which is one of 2"),
    ):
        one = accepted(tmp_path, "a.glb", glb(*gltf_parts(nodes=nodes, scenes=scenes)))
        assert (len(one.faces), one.findings.findings[0].message.endswith(f": {told}")) == (12, True)
        assert fires("FILE_PARTS_SKIPPED", one.findings)
    for scenes in ([{"nodes": [0, 2]}], [{"nodes": [0, 2]}, {"nodes": [2]}], []):
        both = accepted(tmp_path, "b.glb", glb(*gltf_parts(nodes=nodes, scenes=scenes)))
        assert (len(both.faces), silent("FILE_PARTS_SKIPPED", both.findings)) == (24, True)
    data, binary = gltf_parts()
    data["meshes"] *= 3
    lone = accepted(tmp_path, "c.glb", glb(data, binary))
    assert lone.findings.findings[0].message.endswith("2 meshes that are not in the scene")


def hides(visible):
    return {"extensions": {"KHR_node_visibility": {"visible": visible}}}


def test_what_a_gltf_hides_is_left_out_and_said(tmp_path):
    nodes = [
        {"mesh": 0},
        {"mesh": 0, "translation": [1, 0, 0], **hides(False), "children": [2]},
        {"mesh": 0, "translation": [0, 1, 0], **hides(True)},  # hidden all the same: it is below a hidden one
    ]
    for more in ({}, {"extensionsRequired": ["KHR_node_visibility"]}):
        one = accepted(tmp_path, "a.glb", glb(*gltf_parts(nodes=nodes, scenes=[{"nodes": [0, 1]}], **more)))
        assert len(one.faces) == 12
        assert one.findings.findings[0].message.endswith(": 2 meshes that are hidden (KHR_node_visibility)")
        assert fires("FILE_PARTS_SKIPPED", one.findings)
    seen = accepted(tmp_path, "b.glb", glb(*gltf_parts(nodes=[{"mesh": 0, **hides(True)}])))
    assert silent("FILE_PARTS_SKIPPED", seen.findings)
    assert fires("MESH_EMPTY", refused(tmp_path, "c.glb", glb(*gltf_parts(nodes=[{"mesh": 0, **hides(False)}]))))
    no = refused(tmp_path, "d.glb", glb(*gltf_parts(nodes=[{"mesh": 0, **hides("no")}])))
    assert "KHR_node_visibility of node 0" in no.report.findings[0].message


def test_a_gltf_for_later_readers_is_refused(tmp_path):
    for least, taken in (("2.0", True), ("1.0", True), ("2.1", False), ("3.0", False), ("10.0", False), (2, False)):
        data = glb(*gltf_parts(asset={"version": "2.1", "minVersion": least}))
        if taken:
            accepted(tmp_path, "a.glb", data)
        else:
            no = refused(tmp_path, "a.glb", data)
            assert fires("FILE_MALFORMED", no)
            assert "minVersion" in no.report.findings[0].message


def test_shapes_of_extensions_are_said(tmp_path):
    lattice = '<b:beamlattice xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02" radius="1" />'
    xml = model_xml().replace("</mesh>", lattice + "</mesh>")
    one = accepted(tmp_path, "a.3mf", threemf(xml))
    assert fires("FILE_PARTS_SKIPPED", one.findings)
    assert "beamlattice" in one.findings.findings[0].message


def skinned(*, node, joints, bound=True, set_1=False):
    """A cube of 10 mm bound where it is; the joints are nodes 1 and on, the mesh is in node 0."""
    data, binary = gltf_parts(nodes=[{"mesh": 0, "skin": 0, **node}, *joints])
    data["scenes"] = [{"nodes": list(range(1 + len(joints)))}]
    numbers = np.zeros((8, 4), dtype="<u1")
    numbers[4:, 0] = len(joints) - 1  # the upper corners follow the last joint
    weights = np.zeros((8, 4), dtype="<f4")
    weights[:, 0] = 1
    binds = np.repeat(np.eye(4, dtype="<f4")[None], len(joints), axis=0)
    for k, joint in enumerate(joints):
        binds[k, 3, :3] = -np.array(joint.get("bound_at", (0, 0, 0)))  # column by column: the last row moves
        joint.pop("bound_at", None)
    blocks = [binary.ljust(168, b"\0"), numbers.tobytes(), weights.tobytes(), binds.tobytes()]
    at = 168
    for block, kind, count, shape in zip(
        blocks[1:], (5121, 5126, 5126), (8, 8, len(joints)), ("VEC4", "VEC4", "MAT4"), strict=True
    ):
        data["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(block)})
        view = len(data["bufferViews"]) - 1
        data["accessors"].append({"bufferView": view, "componentType": kind, "count": count, "type": shape})
        at += len(block)
    data["meshes"][0]["primitives"][0]["attributes"] |= {"JOINTS_0": 2, "WEIGHTS_0": 3}
    data["skins"] = [{"joints": list(range(1, 1 + len(joints)))} | ({"inverseBindMatrices": 4} if bound else {})]
    data["buffers"][0]["byteLength"] = at
    return data, b"".join(blocks)


def test_a_skin_puts_its_mesh_where_the_joints_are(tmp_path):
    # The node's own scale of 100 does not count, as the standard says.
    still = accepted(tmp_path, "a.glb", glb(*skinned(node={"scale": [100, 100, 100]}, joints=[{}])), up="z")
    assert still.extents_mm == pytest.approx((10, 10, 10))
    at_home = {"translation": [0.1, 0, 0.5], "bound_at": (0.1, 0, 0.5)}
    same = accepted(tmp_path, "a.glb", glb(*skinned(node={"scale": [100, 1, 1]}, joints=[at_home])), up="z")
    assert same.bounds[0] == pytest.approx((0, 0, 0), abs=1e-4)
    # Two joints: the second has moved up by 20 mm since it was bound, and the upper corners with it.
    up = {"translation": [0, 0, 0.02], "bound_at": (0, 0, 0)}
    tall = accepted(tmp_path, "a.glb", glb(*skinned(node={"translation": [9, 9, 9]}, joints=[{}, up])), up="z")
    assert tall.extents_mm == pytest.approx((10, 10, 30), rel=1e-5)
    bare = accepted(tmp_path, "a.glb", glb(*skinned(node={}, joints=[{"scale": [2, 2, 2]}], bound=False)), up="z")
    assert bare.volume_mm3 == pytest.approx(8000, rel=1e-5)
    mirror = accepted(tmp_path, "a.glb", glb(*skinned(node={}, joints=[{"scale": [-1, 1, 1]}])), up="z")
    assert silent("MESH_INSIDE_OUT", mirror.inspected())


def test_a_broken_skin_is_refused(tmp_path):
    data, binary = skinned(node={}, joints=[{}])
    for changed in (
        {"skins": []},
        {"skins": [{"joints": [7]}]},
        {"skins": [{"joints": [1], "inverseBindMatrices": 9}]},
    ):
        assert fires("GLTF_OUT_OF_BOUNDS", refused(tmp_path, "a.glb", glb(data | changed, binary)))
    for changed in ({"skins": [{"joints": []}]}, {"scenes": [{"nodes": [0]}]}):
        assert fires("FILE_MALFORMED", refused(tmp_path, "a.glb", glb(data | changed, binary)))
    astray = bytearray(binary)
    astray[168] = 5
    assert fires("GLTF_OUT_OF_BOUNDS", refused(tmp_path, "a.glb", glb(data, bytes(astray))))
