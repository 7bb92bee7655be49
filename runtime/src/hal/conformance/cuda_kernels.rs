//! PTX kernels on an NVIDIA GPU, where there is one.

use super::*;

const PTX: &str = ".version 6.3
.target sm_50
.address_size 64
.visible .entry add_one(.param .u64 in, .param .u64 out, .param .u64 count)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .b64 %d<6>;
    .reg .f32 %f<3>;
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    ld.param.u64 %d3, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    cvt.u64.u32 %d4, %r4;
    setp.ge.u64 %p, %d4, %d3;
    @%p bra done;
    shl.b64 %d4, %d4, 2;
    add.u64 %d1, %d1, %d4;
    add.u64 %d2, %d2, %d4;
    ld.global.f32 %f1, [%d1];
    add.f32 %f2, %f1, 0f3F800000;
    st.global.f32 [%d2], %f2;
done:
    ret;
}
";

fn each_gpu(test: impl Fn(&Device)) {
    each_device(|device| {
        if device.info().driver == "cuda" {
            test(device);
        }
    });
}

fn spec(name: &str, dynamic_shared_bytes: u32) -> KernelSpec {
    KernelSpec { name: name.into(), block: [128, 1, 1], bindings: 2, dynamic_shared_bytes, ..KernelSpec::default() }
}

fn ptx(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

#[test]
fn kernels_run_on_the_stream_and_as_a_graph() {
    each_gpu(|device| {
        let executable = device.load(ImageKind::Ptx, &ptx(PTX), &[spec("add_one", 64 << 10)]).unwrap();
        println!("{}", executable.describe());
        let values: Vec<f32> = (0..100_000).map(|v| v as f32).collect();
        let bytes = |by: f32| values.iter().flat_map(|v| (v + by).to_le_bytes()).collect::<Vec<u8>>();
        let a = device.upload_new(&bytes(0.0)).unwrap();
        let b = device.allocate(400_000, Place::Device).unwrap();
        let step = |from: &Buffer, to: &Buffer| Command::Dispatch {
            executable: executable.clone(),
            kernel: 0,
            grid: [782, 1, 1],
            bindings: vec![Binding { slice: from.all(), writes: false }, Binding { slice: to.all(), writes: true }],
            constants: vec![100_000],
        };
        let list = device.record(&[
            step(&a, &b),
            step(&b, &a),
            step(&a, &b),
            Command::Copy { source: b.all(), target: a.all() },
        ]);
        let list = list.unwrap();
        // Once on the stream, then as a graph.
        for round in 1..=4 {
            device.submit(&list).unwrap();
            assert_eq!(read(device, &a.all()), bytes(3.0 * round as f32), "round {round}");
        }
    });
}

/// Boxes through shared memory: tensor maps, more than 48 KB, clusters of two, and a constant behind the maps.
#[test]
fn kernels_copy_boxes_with_tensor_maps() {
    each_gpu(|device| {
        let capability = device.info().arch.strip_prefix("sm_").and_then(|digits| digits.parse::<u32>().ok());
        if capability.is_none_or(|capability| capability < 90) {
            println!("skipped: {} has no tensor maps", device.info().arch);
            return;
        }
        let image = ptx(include_str!("copy_boxes.ptx"));
        let executable = device.load(ImageKind::Ptx, &image, &[boxes_kernel()]).unwrap();
        let values: Vec<u8> = (0..BOXES_ROWS * BOXES_COLUMNS).flat_map(|v| (v as f32).to_le_bytes()).collect();
        let from = device.upload_new(&values).unwrap();
        let to = device.allocate(values.len() as u64, Place::Device).unwrap();
        let copy = |from: &Buffer, to: &Buffer, shift| Command::Dispatch {
            executable: executable.clone(),
            kernel: 0,
            grid: [2, 4, 1],
            bindings: vec![Binding { slice: from.all(), writes: false }, Binding { slice: to.all(), writes: true }],
            constants: vec![shift],
        };
        let poison = Command::Fill { target: to.all(), pattern: 0xff, pattern_bytes: 1 };
        let list = device.record(&[poison.clone(), copy(&from, &to, 0)]).unwrap();
        let shifted = device.record(&[poison.clone(), copy(&from, &to, 96), poison.clone(), copy(&from, &to, 96)]);
        let shifted = shifted.unwrap();
        for round in 0..3 {
            device.submit(&list).unwrap();
            assert!(read(device, &to.all()) == values, "round {round}");
            device.submit(&shifted).unwrap();
            let copied = read(device, &to.all());
            let row_bytes = 4 * BOXES_COLUMNS as usize;
            for (row, wanted) in copied.chunks(row_bytes).zip(values.chunks(row_bytes)) {
                assert!(row[..384].iter().all(|byte| *byte == 0xff) && row[384..] == wanted[384..], "round {round}");
            }
        }
    });
}

#[test]
fn images_are_refused_with_the_compilers_words() {
    each_gpu(|device| {
        let broken = PTX.replace("add.f32", "add.f99");
        let error = device.load(ImageKind::Ptx, &ptx(&broken), &[spec("add_one", 0)]).err().unwrap();
        assert_eq!(error.kind(), HalErrorKind::BadImage, "{error}");
        assert!(error.to_string().contains("line"), "{error}");
        let future = PTX.replace(".version 6.3", ".version 99.0");
        let error = device.load(ImageKind::Ptx, &ptx(&future), &[spec("add_one", 0)]).err().unwrap();
        assert!(error.to_string().contains("99.0"), "{error}");
        let error = device.load(ImageKind::Ptx, &ptx(PTX), &[spec("nothing", 0)]).err().unwrap();
        assert!(error.to_string().contains("nothing"), "{error}");
        let twice = [ptx(PTX), ptx(PTX)].concat();
        assert_eq!(device.load(ImageKind::Ptx, &twice, &[]).err().unwrap().kind(), HalErrorKind::BadImage);
        let large = device.load(ImageKind::Ptx, &ptx(PTX), &[spec("add_one", 1 << 20)]).err().unwrap();
        assert_eq!(large.kind(), HalErrorKind::Unsupported, "{large}");
    });
}

/// Each list as a graph that decides itself.
#[test]
fn branches_and_loops_are_decided_by_the_device() {
    each_gpu(|device| {
        let kernels = [spec("add_one", 0), KernelSpec { block: [1; 3], ..spec("below", 0) }];
        let text = format!("{PTX}{}", include_str!("below.ptx"));
        branches_and_loops(device, &device.load(ImageKind::Ptx, &ptx(&text), &kernels).unwrap());
    });
}
