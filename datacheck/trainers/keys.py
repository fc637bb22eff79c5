"""The settings that each trainer knows: names and types, taken from its source at the commit that its twin names.

Those of `transformers` are of 5.23.0. Names alone are facts; no text of the trainers stands here. A line is
`name:types`, where i is an integer, f any number, b true or false, s text, l a list, d a map, n null, ? anything.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Known(NamedTuple):
    """What a trainer does with a setting by its name.

    types: name → letters as above; nested names are dotted. dead: known and never used. table: the part of the file
    that is read where it is there. sections: only names below these are judged; none: all are. converts: a number in
    text is taken for a number. stops: an unknown name stops the run; else it is ignored without a word.
    source: where the trainer reads its settings.
    """

    types: Mapping[str, str]
    source: str
    dead: frozenset[str] = frozenset()
    table: str | None = None
    sections: tuple[str, ...] = ()
    converts: bool = False
    stops: bool = False


_TRAINING_ARGUMENTS = """
    accelerator_config:dns activation_checkpointing:bn activation_checkpointing_kwargs:? adam_beta1:f adam_beta2:f
    adam_epsilon:f auto_find_batch_size:b average_tokens_across_devices:b batch_eval_metrics:b bf16:bn
    bf16_full_eval:b data_seed:in dataloader_drop_last:b dataloader_in_order:b dataloader_multiprocessing_context:ns
    dataloader_num_workers:i dataloader_persistent_workers:b dataloader_pin_memory:b dataloader_prefetch_factor:in
    ddp_backend:ns ddp_broadcast_buffers:bn ddp_bucket_cap_mb:in ddp_find_unused_parameters:bn ddp_static_graph:bn
    ddp_timeout:i debug:ls deepspeed:dns disable_tqdm:bn do_eval:b do_predict:b do_train:b enable_jit_checkpoint:b
    eval_accumulation_steps:in eval_delay:f eval_do_concat_batches:b eval_on_start:b eval_steps:fn eval_strategy:s
    eval_use_gather_object:b fp16:b fp16_full_eval:b fsdp:ns fsdp_config:? full_determinism:b
    gradient_accumulation_steps:i gradient_checkpointing:b gradient_checkpointing_kwargs:? greater_is_better:bn
    hub_always_push:b hub_model_id:ns hub_private_repo:bn hub_revision:ns hub_strategy:s hub_token:ns
    ignore_data_skip:b include_for_metrics:ls include_num_input_tokens_seen:bs label_names:lns
    label_smoothing_factor:f learning_rate:f length_column_name:s liger_kernel_config:bdns load_best_model_at_end:b
    local_rank:i log_level:s log_level_replica:s log_on_each_node:b logging_first_step:b logging_nan_inf_filter:b
    logging_steps:f logging_strategy:s lr_scheduler_kwargs:dns lr_scheduler_type:s max_grad_norm:f max_steps:i
    metric_for_best_model:ns neftune_noise_alpha:fn num_train_epochs:f optim:s optim_args:ns
    optim_target_modules:lns output_dir:ns parallelism_config:? per_device_eval_batch_size:i
    per_device_train_batch_size:i prediction_loss_only:b project:s push_to_hub:b remove_unused_columns:b
    report_to:lns restore_callback_states_from_checkpoint:b resume_from_checkpoint:ns run_name:ns
    save_on_each_node:b save_only_model:b save_steps:f save_strategy:s save_total_limit:in seed:i
    skip_memory_metrics:b tf32:bn torch_compile:b torch_compile_backend:ns torch_compile_mode:ns
    torch_empty_cache_steps:in trackio_bucket_id:ns trackio_space_id:ns trackio_static_space_id:ns
    train_sampling_strategy:s use_cache:b use_cpu:b use_liger_kernel:b warmup_steps:f weight_decay:f
"""

_TRL_SCRIPTS = """
    attn_implementation:ns bnb_4bit_quant_storage:ns bnb_4bit_quant_type:s dataset_config:ns dataset_name:ns
    dataset_streaming:b dataset_test_split:s dataset_train_split:s datasets:l dtype:ns env:d ignore_bias_buffers:b
    load_in_4bit:b load_in_8bit:b lora_alpha:i lora_dropout:f lora_modules_to_save:lns lora_r:i
    lora_target_modules:lns lora_target_parameters:lns lora_task_type:s model_name_or_path:ns model_revision:s
    streaming:b test_split_size:fn use_bnb_nested_quant:b use_dora:b use_peft:b use_rslora:b
"""

_TRL_SFT = """
    activation_offloading:b assistant_only_loss:b chat_template_path:ns completion_only_loss:bn dataset_kwargs:?
    dataset_num_proc:in dataset_text_field:s eos_token:ns eval_packing:bn loss_type:ns max_length:in
    model_init_kwargs:? packing:b packing_strategy:s pad_to_multiple_of:in pad_token:ns padding_free:b
    router_aux_loss_coef:f shuffle_dataset:b truncation_mode:s trust_remote_code:b
"""

_TRL_GRPO = """
    beta:f cache_implementation:ns cast_lm_head_to_fp32:b chat_template_kwargs:dn delta:fn disable_dropout:b
    ds3_gather_for_generation:b entropy_coef:f entropy_coef_delta:f entropy_coef_max:f entropy_coef_min:f
    entropy_target:f epsilon:f epsilon_high:fn generation_batch_size:in generation_kwargs:dn
    importance_sampling_level:s log_completions:b log_completions_hub_repo:ns log_multimodal:b log_unique_prompts:b
    loss_type:s mask_truncated_completions:b max_completion_length:in max_tool_calling_iterations:in min_p:fn
    model_init_kwargs:? multi_objective_aggregation:s num_completions_to_print:in num_generations:in
    num_generations_eval:in num_iterations:i off_policy_mask_threshold:fn pad_to_multiple_of:in
    ref_model_mixup_alpha:f ref_model_sync_steps:i remove_unused_columns:bn repetition_penalty:f reward_funcs:lns
    reward_model_name_or_path:ns reward_weights:fln router_aux_loss_coef:f sapo_temperature_neg:f
    sapo_temperature_pos:f scale_rewards:s shuffle_dataset:bn steps_per_generation:in sync_ref_model:b temperature:f
    top_entropy_quantile:f top_k:i top_p:f transformers_continuous_batching_config:dn trust_remote_code:b
    use_adaptive_entropy:b use_bias_correction_kl:b use_transformers_continuous_batching:b use_transformers_paged:b
    use_vllm:b vespo_k_neg:f vespo_k_pos:f vespo_lambda_neg:f vespo_lambda_pos:f vllm_enable_sleep_mode:b
    vllm_gpu_memory_utilization:f vllm_group_port:i vllm_importance_sampling_cap:fn
    vllm_importance_sampling_clip_max:fn vllm_importance_sampling_clip_min:fn vllm_importance_sampling_correction:b
    vllm_importance_sampling_mode:s vllm_max_model_length:in vllm_mode:s vllm_model_impl:s vllm_server_base_url:ns
    vllm_server_host:s vllm_server_port:i vllm_server_timeout:f vllm_structured_outputs_regex:ns
    vllm_tensor_parallel_size:i
"""

_TRL_DPO = """
    activation_offloading:b beta:f dataset_num_proc:in disable_dropout:b discopop_tau:f f_alpha_divergence_coef:f
    f_divergence_type:s label_smoothing:f ld_alpha:fn loss_type:ls loss_weights:fln max_length:in
    model_init_kwargs:? pad_to_multiple_of:in pad_token:ns padding_free:b precompute_ref_batch_size:in
    precompute_ref_log_probs:b ref_model_mixup_alpha:f ref_model_sync_steps:i router_aux_loss_coef:f
    sync_ref_model:b truncation_mode:s trust_remote_code:b use_weighting:b
"""

_TRL_KTO = """
    activation_offloading:b beta:f dataset_num_proc:in desirable_weight:f disable_dropout:b loss_type:s
    max_length:in model_init_kwargs:? pad_to_multiple_of:in precompute_ref_batch_size:in precompute_ref_log_probs:b
    ref_model_mixup_alpha:f ref_model_sync_steps:i router_aux_loss_coef:f sync_ref_model:b trust_remote_code:b
    undesirable_weight:f
"""

_TRL_REWARD = """
    activation_offloading:b center_rewards_coefficient:fn chat_template_path:ns dataset_num_proc:in
    disable_dropout:b eos_token:ns max_length:in model_init_kwargs:? pad_to_multiple_of:in pad_token:ns
    trust_remote_code:b
"""

_LIGHTRFT_RL = """
    actor_init_on_gpu:b actor_learning_rate:f adam_betas:l adam_offload:b advantage_clip:f advantage_estimator:s
    advantages_norm:b apply_chat_template:b aux_loss_coef:f bf16:b chunk_size:i ckpt_path:s critic_learning_rate:f
    critic_pretrain:ns disable_ds_ckpt:b disable_engine_sleep:b disable_fast_tokenizer:b
    disable_logprobs_flashattn:b dynamic_sampling:b enable_ema:b enable_engine_sleep:b engine_mem_util:f
    engine_tp_size:i engine_type:s eps_clip:f eval_data:ns eval_split:s eval_steps:i first_token_temperature:f
    flash_attn:b freeze_prefix:b freezing_actor_steps:i fsdp:b fsdp_cpu_offload:b fused_linear_logprob:b gamma:f
    generate_max_len:i grad_accum_dtype:ns gradient_checkpointing:b gradient_checkpointing_use_reentrant:b
    high_entropy_token_ratio:f images_key:s init_kl_coef:f initial_model_shard_size:in input_key:s input_template:ns
    kl_estimator:s kl_target:fn l2:f label_key:s lambd:f limit_mm_image_per_prompt:i load_checkpoint:b
    load_in_4bit:b local_rank:i log_dir:ns logging_steps:i lora_alpha:i lora_dropout:f lora_rank:i loss_agg_mode:s
    lr_warmup_ratio:f mark_high_entropy_tokens:b max_ckpt_mem:i max_ckpt_num:i max_epochs:i max_eval_samples:i
    max_len:in max_norm:f max_samples:i meta_init:b micro_rollout_batch_size:i micro_train_batch_size:i
    mixed_mm_data:b n_samples_per_prompt:i no_shard_vit:b normalize_advantages:b normalize_reward_for_critic:b
    num_episodes:i num_trajectories_to_save:i overlap_comm:b overlong_buffer:b overlong_buffer_len:i
    overlong_buffer_penalty_factor:f packing_samples:b plot_every:i pretrain:ns pretrain_data:ns
    pretrain_data_probs:s pretrain_split:s print_replay_buffer_stats:b prompt_data:ns prompt_data_probs:s
    prompt_max_len:i prompt_split:s ptx_coef:f reference_key:s remote_rm_url:ns reward_clip:f reward_pretrain:ns
    reward_running_norm:b reward_running_norm_minus_mean:b rm_engine_cudagraph:b rm_use_engine:b
    rollout_batch_size:i save_hf_ckpt:b save_path:s save_steps:i save_trajectories:b save_value_network:b seed:i
    sp_size:i system_prompt:ns target_modules:l temperature:f text_only:b top_p:f train_batch_size:i
    trajectory_analysis:b use_cpg_loss:b use_fire:b use_gspo:b use_kl_loss:b use_mp_opt:b use_ms:b
    use_sequence_rewards:b use_tensorboard:ns use_wandb:ns value_clip:f value_head_prefix:s wandb_group:ns
    wandb_org:ns wandb_project:s wandb_run_name:s zero_stage:i zpg:i
"""

_MINIONEREC_SFT = """
    base_model:s batch_size:i category:s cutoff_len:i eval_file:s freeze_LLM:b group_by_length:b item_meta_path:s
    learning_rate:f micro_batch_size:i num_epochs:i output_dir:s resume_from_checkpoint:s sample:i seed:i
    sid_index_path:s train_file:s train_from_scratch:b wandb_project:s wandb_run_name:s
"""

_MINIONEREC_RL = """
    ada_path:s add_gt:b beam_search:b beta:f category:s cf_path:s dapo:b dynamic_sampling:b eval_batch_size:i
    eval_file:s eval_step:f gradient_accumulation_steps:i gspo:b info_file:s item_meta_path:s learning_rate:f
    mask_all_zero:b model_path:s num_generations:i num_train_epochs:i output_dir:s reward_type:s sample_train:b
    seed:i sid_index_path:s sync_ref_model:b temperature:f test_beam:i test_during_training:b train_batch_size:i
    train_file:s wandb_project:s wandb_run_name:s
"""

_MLX_GRPO = """
    adam_beta1:f adam_beta2:f batch_size:i clip_eps:f eval_every_updates:i eval_max_new_tokens:i eval_samples:i
    eval_steps:i eval_subset_size:i gradient_accumulation_steps:i kl_coeff:f learning_rate:f log_jsonl:b
    logging_steps:i lr_scheduler_type:s max_completion_length:i max_grad_norm:f max_new_tokens:i max_prompt_length:i
    max_train_samples:i model_name:s num_epochs:i num_generations:i output_dir:s quantize_for_rollouts:b run_name:s
    save_steps:i seed:i temperature:f use_compile:b warmup_ratio:f weight_decay:f
"""

_PPLMX_LLM = """
    checkpoint:d checkpoint.checkpoint_dir:s checkpoint.keep_last_n:i checkpoint.resume_from_checkpoint:ns
    checkpoint.save_best:b checkpoint.save_interval:i data:d data.data_source:s data.dataset_config:ns
    data.dataset_name:ns data.dataset_path:ns data.dataset_split:s data.hash_algo:s data.max_seq_len:i
    data.seen_hashes_path:ns data.skip_undecodable_rows:b data.steps_per_epoch:in data.text_column:s
    data.tokenizer_path:ns data.tokenizer_type:s data.val_dataset_path:ns data.write_seen_hashes:b distributed:d
    distributed.backend:s distributed.collective_timeout_seconds:i distributed.fsdp_auto_wrap_min_params:i
    distributed.fsdp_cpu_offload:b distributed.fsdp_mixed_precision:s distributed.gpus_per_node:in
    distributed.master_addr:s distributed.master_port:s distributed.node_rank:i distributed.num_nodes:i
    distributed.parallel_strategy:s distributed.tp_size:i logging:d logging.log_dir:s logging.log_interval:i
    logging.log_level:s logging.save_logs:b model:d model.attn_impl:s model.dropout:f model.hidden_size:i
    model.intermediate_size:in model.lm_head_bias:b model.max_seq_len:i model.mlp_activation:s model.mlp_bias:b
    model.mlp_impl:s model.norm_first:b model.norm_impl:s model.num_experts:i model.num_heads:i
    model.num_kv_heads:in model.num_layers:i model.pos_encoding_learned:b model.qkv_bias:b model.rope_theta:f
    model.top_k:i model.use_alibi:b model.use_glu:b model.use_kv_cache:b model.use_rope:b model.vocab_size:i
    optimization:d optimization.amp_dtype:s optimization.compile_dynamic:bn optimization.compile_mode:s
    optimization.gradient_accumulation_steps:i optimization.num_workers:i optimization.persistent_workers:b
    optimization.pin_memory:b optimization.prefetch_factor:i optimization.use_amp:b optimization.use_compile:b ppo:d
    ppo.clip_epsilon:f ppo.entropy_coef:f ppo.gae_lambda:f ppo.gamma:f ppo.kl_coef:f ppo.max_grad_norm:f
    ppo.mini_batch_size:i ppo.normalize_advantages:b ppo.normalize_rewards:b ppo.policy_lr:fn ppo.ppo_epochs:i
    ppo.ref_model_update_freq:i ppo.response_max_len:i ppo.rollout_batch_size:i ppo.target_kl:fn ppo.temperature:f
    ppo.top_k:in ppo.top_p:fn ppo.use_ref_model:b ppo.value_coef:f ppo.value_lr:fn rlhf:d rlhf.reward_model_path:ns
    training:d training.adalora_alpha:f training.adalora_ema_alpha:f training.adalora_init_rank:i
    training.adalora_orth_reg_weight:f training.adalora_prune_every:i training.adalora_target_modules:lns
    training.adalora_target_rank:i training.adalora_tfinal:in training.adalora_tinit:i
    training.adapter_bottleneck_dim:i training.adapter_target_modules:lns training.batch_size:i
    training.bitfit_target_modules:lns training.dpo_beta:f training.epochs:i training.gradient_clip_val:f
    training.ia3_init_scale:f training.ia3_target_modules:lns training.learning_rate:f training.lr:f
    training.max_steps:i training.num_samples:i training.peft_kwargs:? training.peft_method:ns
    training.peft_save_path:ns training.prefix_reparam_hidden:in training.prefix_target_modules:lns
    training.prefix_tuning_len:i training.run_validation:b training.scheduler_type:s training.use_adalora:b
    training.use_adapter:b training.use_bitfit:b training.use_ia3:b training.use_prefix_tuning:b
    training.warmup_epochs:i training.weight_decay:f
"""

_VERL_DATA = """
    apply_chat_template_kwargs:? custom_cls:? datagen:? dataloader_num_workers:? filter_overlong_prompts:?
    filter_overlong_prompts_workers:? image_key:? image_patch_size:? max_prompt_length:? max_response_length:?
    prompt_key:? return_full_prompt:? return_multi_modal_inputs:? return_raw_chat:? return_raw_input_ids:?
    reward_fn_key:? sampler:? seed:? shuffle:? tokenizer:? tool_config_path:? train_batch_size:? train_files:?
    train_max_samples:? truncation:? trust_remote_code:? use_shm:? val_batch_size:? val_files:? val_max_samples:?
    validation_shuffle:? video_key:?
"""

_VERL_ALGORITHM = """
    adv_estimator:? gamma:? kl_ctrl:? kl_penalty:? lam:? norm_adv_by_std_in_grpo:? pf_ppo:? rollout_correction:?
    use_kl_in_reward:? use_pf_ppo:?
"""

_VERL_TRAINER = """
    balance_batch:? critic_warmup:? default_hdfs_dir:? default_local_dir:? del_local_ckpt_after_load:? device:?
    esi_redundant_time:? experiment_name:? log_val_generations:? logger:? max_actor_ckpt_to_keep:?
    max_critic_ckpt_to_keep:? n_gpus_per_node:? nnodes:? project_name:? ray_wait_register_center_timeout:?
    resume_from_path:? resume_mode:? rollout_data_dir:? save_freq:? test_freq:? total_epochs:?
    total_training_steps:? use_legacy_worker_impl:? val_before_train:? val_only:? validation_data_dir:?
"""

_VERL_ACTOR = """
    calculate_entropy:? calculate_sum_pi_squared:? checkpoint:? clip_ratio:? clip_ratio_c:? clip_ratio_high:?
    clip_ratio_low:? data_loader_seed:? entropy_checkpointing:? entropy_coeff:? entropy_from_logits_with_chunking:?
    freeze_vision_tower:? fsdp_config:? grad_clip:? kl_loss_coef:? kl_loss_type:? loss_agg_mode:?
    loss_scale_factor:? optim:? policy_loss:? ppo_epochs:? ppo_max_token_len_per_gpu:? ppo_micro_batch_size:?
    ppo_micro_batch_size_per_gpu:? ppo_mini_batch_size:? profiler:? rollout_n:? router_replay:? shuffle:? strategy:?
    sum_pi_squared_checkpointing:? tau_neg:? tau_pos:? ulysses_sequence_parallel_size:? use_dynamic_bsz:?
    use_fused_kernels:? use_kl_loss:? use_prefix_grouper:? use_remove_padding:? use_torch_compile:?
"""

_VERL_ROLLOUT = """
    agent:? calculate_log_probs:? checkpoint_engine:? cudagraph_capture_sizes:? data_parallel_size:?
    disable_log_stats:? do_sample:? dtype:? enable_chunked_prefill:? enable_prefix_caching:?
    enable_rollout_routing_replay:? enforce_eager:? engine_kwargs:? expert_parallel_size:? free_cache_engine:?
    gpu_memory_utilization:? ignore_eos:? layered_summon:? load_format:? log_prob_max_token_len_per_gpu:?
    log_prob_micro_batch_size:? log_prob_micro_batch_size_per_gpu:? log_prob_use_dynamic_bsz:? logprobs_mode:?
    max_model_len:? max_num_batched_tokens:? max_num_seqs:? mode:? mtp:? multi_stage_wake_up:? multi_turn:? n:?
    name:? over_sample_rate:? pipeline_model_parallel_size:? profiler:? prometheus:? prompt_length:? quantization:?
    quantization_config_file:? response_length:? scheduling_policy:? skip_dump_dir:? skip_rollout:?
    skip_tokenizer_init:? temperature:? tensor_model_parallel_size:? top_k:? top_p:? trace:? val_kwargs:?
"""

_VERL_OPTIM = """
    betas:? clip_grad:? lr:? lr_scheduler_type:? lr_warmup_steps:? lr_warmup_steps_ratio:? min_lr_ratio:?
    num_cycles:? optimizer:? optimizer_impl:? override_optimizer_config:? total_training_steps:? warmup_style:?
    weight_decay:?
"""


def _names(*blocks: str, below: str = "") -> dict[str, str]:
    pairs = (entry.rpartition(":") for block in blocks for entry in block.split())
    return {below + name: types for name, _, types in pairs}


def _trl(own: str) -> Known:
    types = _names(_TRAINING_ARGUMENTS, _TRL_SCRIPTS, own)
    return Known(types, "trl/scripts/utils.py:303-357", converts=True, stops=True)


def _verl() -> Known:
    sections = {
        "data": _VERL_DATA, "algorithm": _VERL_ALGORITHM, "trainer": _VERL_TRAINER,
        "actor_rollout_ref.actor": _VERL_ACTOR, "actor_rollout_ref.rollout": _VERL_ROLLOUT,
    }  # fmt: skip
    types = {name: kind for below, block in sections.items() for name, kind in _names(block, below=f"{below}.").items()}
    types |= _names(_VERL_OPTIM, below="actor_rollout_ref.actor.optim.")
    return Known(types, "verl/trainer/config/_generated_ppo_trainer.yaml", sections=tuple(sections))


_DEAD_MLX = frozenset(
    {"adam_beta1", "adam_beta2", "batch_size", "lr_scheduler_type", "max_completion_length", "max_prompt_length",
     "weight_decay"}
)  # fmt: skip
_LIGHTRFT = Known(
    _names(_LIGHTRFT_RL),
    "examples/gsm8k_geo3k/train_colocate.py, lightrft/utils/cli_args.py",
    converts=True,
    stops=True,
)
_PPLMX = Known(_names(_PPLMX_LLM), "src/llm/training/core/config.py:691-727", converts=True)

KEYS: dict[str, Known] = {
    "lightrft.rl_text": _LIGHTRFT,
    "lightrft.rl_vl": _LIGHTRFT,
    "minionerec.rl": Known(
        _names(_MINIONEREC_RL), "rl.py:29-66", dead=frozenset({"mask_all_zero"}), converts=True, stops=True
    ),
    "minionerec.sft": Known(_names(_MINIONEREC_SFT), "sft.py:92-119", converts=True, stops=True),
    "mlx_grpo.grpo": Known(_names(_MLX_GRPO), "mlx-grpo.py:320-379", dead=_DEAD_MLX, table="mlx_grpo"),
    "pplmx_llm.dpo": _PPLMX,
    "pplmx_llm.ppo": _PPLMX,
    "pplmx_llm.reward": _PPLMX,
    "pplmx_llm.sft": _PPLMX,
    "trl.dpo": _trl(_TRL_DPO),
    "trl.grpo": _trl(_TRL_GRPO),
    "trl.kto": _trl(_TRL_KTO),
    "trl.reward": _trl(_TRL_REWARD),
    "trl.sft": _trl(_TRL_SFT),
    "verl.rl": _verl(),
}


def wrong_type(value: object, types: str, *, converts: bool) -> bool:
    """Whether a trainer that wants `types` can do nothing right with `value`."""
    if "?" in types or _letter(value) in types:
        return False
    if value is None:
        return "n" not in types
    if isinstance(value, int) and not isinstance(value, bool):
        return "f" not in types and not (converts and "s" in types)
    return not (converts and isinstance(value, str) and _converted(value, types))


def _letter(value: object) -> str:
    kinds = {bool: "b", int: "i", float: "f", str: "s", list: "l", dict: "d"}
    return kinds.get(type(value), "n")


def _converted(text: str, types: str) -> bool:
    if "b" in types and text.lower() in {"true", "false", "1", "0", "yes", "no"}:
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return "f" in types or ("i" in types and number.is_integer() and "." not in text)
